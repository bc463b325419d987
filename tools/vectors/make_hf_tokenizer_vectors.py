"""Makes test/vectors/vocab/hf-tokenizers.json.gz: small tokenizer.json files of each kind that published models use,
trained here, with what the Rust `tokenizers` library makes of the texts of llama.cpp's vocabulary tests.

    python3 tools/vectors/make_hf_tokenizer_vectors.py <folder with tokenizer.json> (needs tokenizers 0.23)

The folder's tokenizer.json (byte-level BPE as Qwen's) is taken as it is.
"""
import gzip
import json
import pathlib
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

FOLDER = pathlib.Path(__file__).resolve().parents[2] / 'test/vectors/vocab'
TEXTS = [case['text'] for case in json.loads(gzip.decompress((FOLDER / 'qwen35.json.gz').read_bytes()))['cases']]
CORPUS = TEXTS * 3 + [
    'The quick brown fox jumps over the lazy dog. The dog sleeps; the fox does not.',
    'Hello world, hello World! Numbers 1987 and 2024, prices 3.50.',
    'function add(a, b) { return a + b; } // adds two numbers',
]
SPECIAL_TEXTS = [
    '<s>Hello</s>', '<|user|>\nHi there <|end|> <|assistant|>', 'a<think>b</think>c', '  <think>  x  ',
    'caf\u00e9 cafe\u0301', '<|user|>', 'x<|user|><|end|>y', 'Hello <s> world',
]


def add_tokens(tokenizer, normalized=False):
    tokenizer.add_special_tokens([AddedToken(text, normalized=normalized) for text in ['<|user|>', '<|end|>', '<|assistant|>']])
    tokenizer.add_tokens([AddedToken('<think>', lstrip=True, normalized=normalized),
                          AddedToken('</think>', rstrip=True, normalized=normalized)])


def with_bos(tokenizer):
    tokenizer.post_processor = processors.TemplateProcessing(
        single='<s> $A', pair='<s> $A <s> $B', special_tokens=[('<s>', tokenizer.token_to_id('<s>'))])


def llama3_style():
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    pattern = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
               r"|\s*[\r\n]+|\s+(?!\S)|\s+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), 'isolated'), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=600, special_tokens=['<s>', '</s>'], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    add_tokens(tokenizer)
    with_bos(tokenizer)
    return tokenizer


def llama2_style():
    """SentencePiece BPE as tokenizer.json files of Llama 2 and Mixtral have it: no words, byte fallback."""
    trained = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token='<unk>'))
    trained.normalizer = normalizers.Sequence([normalizers.Prepend('\u2581'), normalizers.Replace(' ', '\u2581')])
    trained.pre_tokenizer = pre_tokenizers.Split('\u2581', 'merged_with_next')
    byte_tokens = [f'<0x{byte:02X}>' for byte in range(256)]
    trained.train_from_iterator([t for t in CORPUS if t.isascii()], trainers.BpeTrainer(
        vocab_size=600, special_tokens=['<unk>', '<s>', '</s>', *byte_tokens], show_progress=False))
    form = json.loads(trained.to_str())
    form['pre_tokenizer'] = None
    form['added_tokens'] = [token for token in form['added_tokens'] if not token['content'].startswith('<0x')]
    tokenizer = Tokenizer.from_str(json.dumps(form))
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace('\u2581', ' '), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(' ', 1, 0)])
    add_tokens(tokenizer)
    with_bos(tokenizer)
    return tokenizer


def unigram_style():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme='first')
    tokenizer.decoder = decoders.Metaspace(prepend_scheme='first')
    tokenizer.train_from_iterator(CORPUS, trainers.UnigramTrainer(
        vocab_size=400, unk_token='<unk>', special_tokens=['<unk>', '<s>', '</s>'], show_progress=False))
    add_tokens(tokenizer, normalized=True)
    with_bos(tokenizer)
    return tokenizer


def main():
    tokenizers = {
        'qwen-style': Tokenizer.from_file(str(pathlib.Path(sys.argv[1]) / 'tokenizer.json')),
        'llama3-style': llama3_style(), 'llama2-style': llama2_style(), 'unigram-style': unigram_style(),
    }
    out = []
    for name, tokenizer in tokenizers.items():
        cases = []
        for text in TEXTS + SPECIAL_TEXTS:
            # Two segmentations of this run score the same, and implementations may take either.
            if name == 'unigram-style' and '------=' in text:
                continue
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            cases.append({'text': text, 'ids': ids, 'withSpecial': tokenizer.encode(text).ids,
                          'decoded': tokenizer.decode(ids, skip_special_tokens=False)})
        out.append({'name': name, 'tokenizerJson': json.loads(tokenizer.to_str()), 'cases': cases})
    packed = gzip.compress(json.dumps(out, ensure_ascii=False).encode(), 9, mtime=0)
    (FOLDER / 'hf-tokenizers.json.gz').write_bytes(packed)
    print({entry['name']: len(entry['cases']) for entry in out}, len(packed), 'bytes')


if __name__ == '__main__':
    main()
