#!/usr/bin/env python3
"""Trains the byte-level BPE on the generated documents, and turns documents into tokens.

  python3 tools/demo-model/tokenizer.py --corpus DIR --seed 1 --docs 60000 --out tokenizer.json
"""

import argparse
import sys
from pathlib import Path
from typing import Any, Iterator

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))

END_OF_TEXT, IM_START, IM_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
SPECIAL = [END_OF_TEXT, IM_START, IM_END]      # ids 0, 1, 2
END_OF_TEXT_ID, IM_START_ID, IM_END_ID = 0, 1, 2
VOCABULARY = 8192

# Qwen2's, which engines know by the name 'qwen2': digits stand alone.
PRE_TOKENIZER = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

CHAT_TEMPLATE = (
    "{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    "{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)


def render(doc: dict[str, Any], add_generation_prompt: bool = False) -> str:
    """The document's text as the model sees it: ChatML (as CHAT_TEMPLATE), or plain text with its end mark."""
    if "text" in doc:
        return doc["text"] + END_OF_TEXT
    text = "".join(f"{IM_START}{m['role']}\n{m['content']}{IM_END}\n" for m in doc["messages"])
    return text + f"{IM_START}assistant\n" if add_generation_prompt else text


def train(texts: Iterator[str], vocabulary: int = VOCABULARY) -> Any:
    """A tokenizers.Tokenizer of exactly `vocabulary` tokens."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PRE_TOKENIZER), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=SPECIAL, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() != vocabulary:
        raise SystemExit(f"the text gave {tokenizer.get_vocab_size()} tokens, not {vocabulary}")
    return tokenizer


def main() -> None:
    import mix

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--docs", type=int, default=60000)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    from stream import sample_documents

    documents = sample_documents(mix.build_mix(args.corpus, False, []), f"train:{args.seed}", args.docs, args.processes)
    # The special tokens are cut out first: they must not take part in merges.
    fragments = (part for doc in documents for part in render(doc).replace(IM_START, IM_END).split(IM_END))
    tokenizer = train(part.replace(END_OF_TEXT, "") for part in fragments)
    tokenizer.save(str(args.out))
    sample = render(documents[0])
    print(f"{tokenizer.get_vocab_size()} tokens from {args.docs} documents; "
          f"{len(sample.encode()) / len(tokenizer.encode(sample).ids):.2f} bytes a token in the first")


if __name__ == "__main__":
    main()
