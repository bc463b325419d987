/**
 * How a GGUF's `tokenizer.ggml.pre` splits a text into words before byte-level BPE merges inside each word. The
 * patterns are those of the models' published tokenizer.json files; a list of patterns splits one after the other,
 * each inside the pieces that the ones before it left.
 */
import { ModelFormatError } from '../formats/checkpoint.ts';

export interface PreTokenizer {
  /** Patterns in Oniguruma syntax, applied with behaviour "Isolated". */
  readonly patterns: readonly string[];
  /** Groups of three digits counted from the right of a run, done before the patterns (see `splitDigits`). */
  readonly digitGroups: 'none' | 'always' | 'at_word_end';
  /** A word that is a vocabulary entry as a whole is taken without merging. */
  readonly ignoreMerges: boolean;
  /** Used where the file does not say. */
  readonly addBos: boolean;
}

const CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const WORD = '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+';
const PUNCTUATION = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*';
const SPACES = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const LLAMA3 = `${CONTRACTION}|${WORD}|\\p{N}{1,3}|${PUNCTUATION}|${SPACES}`;
const QWEN2 = `${CONTRACTION}|${WORD}|\\p{N}|${PUNCTUATION}|${SPACES}`;
const QWEN35 = `${CONTRACTION}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${SPACES}`;

/** Words that change case inside: an upper-case head and a lower-case tail (o200k, Tekken, Kimi). */
function casedWords(suffix: string, exclude = ''): string {
  const prefix = '[^\\r\\n\\p{L}\\p{N}]?';
  const upper = `(?:${exclude}[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}])`;
  const lower = `(?:${exclude}[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}])`;
  return `${prefix}${upper}*${lower}+${suffix}|${prefix}${upper}+${lower}*${suffix}`;
}
const O200K = `${casedWords(`${CONTRACTION}?`)}|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`;
const TEKKEN = `${casedWords('')}|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`;
const KIMI_K2 = `\\p{Han}+|${casedWords(`${CONTRACTION}?`, '(?!\\p{Han})')}|\\p{N}{1,3}|${PUNCTUATION}|${SPACES}`;

/** A character class from hexadecimal code points and ranges: several of them normalise to other characters. */
function classOf(ranges: string): string {
  const escaped = ranges.split(' ').map((range) =>
    range
      .split('-')
      .map((hex) => `\\u{${hex}}`)
      .join('-'),
  );
  return `[${escaped.join('')}]`;
}

/** Cased letters as DeepSeek LLM's tokenizer.json lists them. */
const DEEPSEEK_LLM_LETTERS = classOf(
  '41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376 377 37B-37D 37F 386 388-38A 38C' +
    ' 38E-3A1 3A3-3F5 3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA 1CBD-1CBF 1D00-1D2B' +
    ' 1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4' +
    ' 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113' +
    ' 2115 2119-211D 2124 2126 2128 212A-212D 212F-2134 2139 213C-213F 2145-2149 214E 2183 2184 2C00-2C7B' +
    ' 2C7E-2CE4 2CEB-2CEE 2CF2 2CF3 A640-A66D A680-A69B A722-A76F A771-A787 A78B-A78E AB70-ABBF FB00-FB06' +
    ' FB13-FB17 FF21-FF3A FF41-FF5A 10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF' +
    ' 1E900-1E943',
);
const DEEPSEEK_LLM_PUNCTUATION = classOf('21-2F 3A-7E FF01-FF0F FF1A-FF5E 2018-201F 3000-3002');
const CJK = `${classOf('4E00-9FA5 800-4E00 AC00-D7FF')}+`;
const ASCII_PUNCTUATION = '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~]';
const DEEPSEEK_V3_WORDS = `${ASCII_PUNCTUATION}[A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+`;
const DEEPSEEK_V3 = [
  '\\p{N}{1,3}',
  `${classOf('4E00-9FA5 3040-309F 30A0-30FF')}+`,
  `${DEEPSEEK_V3_WORDS}| ?[\\p{P}\\p{S}]+[\\r\\n]*|${SPACES}`,
];

/** CJK, kana, Thai, Lao, Khmer, Burmese, Javanese and Hangul blocks (Trinity's tokenizer.json). */
const ASIAN_SCRIPTS = classOf(
  '4E00-9FFF 3400-4DBF F900-FAFF 3040-309F 30A0-30FF FF65-FF9F 2F00-2FDF E40-E7F E80-EFF 1780-17FF 1000-109F' +
    ' AA60-AA7F A9E0-A9FF AC00-D7AF 1100-11FF',
);

function rule(patterns: readonly string[], options: Partial<Omit<PreTokenizer, 'patterns'>> = {}): PreTokenizer {
  return { patterns, digitGroups: 'none', ignoreMerges: false, addBos: false, ...options };
}

const RULES: readonly (readonly [names: string, rule: PreTokenizer])[] = [
  ['default', rule(['[\\p{P}\\$\\+<=>\\^~\\|]+', GPT2, '\\p{N}+', '[0-9][0-9][0-9]'])],
  ['gpt-2 phi-2 gigachat a.x-4.0 mellum exaone4 mpt olmo jais trillion granite-docling', rule([GPT2])],
  ['starcoder refact command-r smollm codeshell exaone minerva-7b mellum2', rule(['\\p{N}', GPT2])],
  ['falcon', rule(['[\\p{P}\\$\\+<=>\\^~\\|`]+', GPT2, '[0-9][0-9][0-9]'])],
  [
    'llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2',
    rule([LLAMA3], { ignoreMerges: true, addBos: true }),
  ],
  ['dbrx smaug-bpe glm4 chatglm-bpe', rule([LLAMA3])],
  ['minicpm5', rule(['\\p{N}{1,3}', LLAMA3.replace('\\p{N}{1,3}', '\\p{N}+')], { ignoreMerges: true })],
  ['qwen2 deepseek-r1-qwen kormo megrez stablelm2 hunyuan solar-open grok-2', rule([QWEN2])],
  ['qwen35', rule([QWEN35])],
  ['laguna', rule(['[^\\n]+|[\\n]+', QWEN2])],
  ['gpt-4o llama4 kanana2 minimax-m2', rule([O200K])],
  ['tekken', rule([TEKKEN], { ignoreMerges: true, addBos: true })],
  ['kimi-k2', rule([KIMI_K2])],
  ['tiny_aya cohere2moe', rule([O200K], { digitGroups: 'at_word_end' })],
  [
    'deepseek-llm',
    rule(['[\\r\\n]', `\\s?${DEEPSEEK_LLM_LETTERS}+`, `\\s?${DEEPSEEK_LLM_PUNCTUATION}+`, '\\s+$', CJK, '\\p{N}+']),
  ],
  ['deepseek-coder', rule(['[\\r\\n]', '\\s?\\p{L}+', '\\s?\\p{P}+', CJK, '\\p{N}'])],
  ['deepseek-v3 hunyuan-dense joyai-llm hy_v4', rule(DEEPSEEK_V3)],
  [
    'spark2_5',
    rule([...DEEPSEEK_V3.slice(0, 2), `${DEEPSEEK_V3_WORDS}| ?[\\p{P}\\p{S}]+|[\\r\\n]|\\s+(?!\\S)|\\s+`, '\\p{N}']),
  ],
  ['afmoe', rule([`${ASIAN_SCRIPTS}+`, DEEPSEEK_V3[2]], { digitGroups: 'always' })],
  [
    'bailingmoe bailingmoe2 llada-moe',
    rule([`'(?i:[sdmt]|ll|ve|re)|${WORD}|\\p{N}|${PUNCTUATION}|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+`]),
  ],
  ['seed-coder', rule([`${CONTRACTION}|${WORD}|\\p{N}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|${SPACES}`])],
  [
    'exaone-moe',
    rule([
      `${CONTRACTION}|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?` +
        '|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+',
    ]),
  ],
  ['poro-chat bloom gpt3-finnish', rule([' ?[^(\\s|.,!?…。，、।۔،)]+'])],
  ['viking', rule([' ?[^(\\s|.,!?…。，、।۔،)]+', '\\p{N}'])],
];

const BY_NAME: ReadonlyMap<string, PreTokenizer> = new Map(
  RULES.flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)),
);

/**
 * The split rule of `tokenizer.ggml.pre`; '' (older files) is 'default'.
 * @throws ModelFormatError that names the value and lists those known.
 */
export function preTokenizerByName(pre: string): PreTokenizer {
  const found = BY_NAME.get(pre === '' ? 'default' : pre);
  if (!found) {
    throw new ModelFormatError(
      `The model's pre-tokenizer '${pre}' (tokenizer.ggml.pre) is not supported; known are ${[...BY_NAME.keys()].join(', ')}.`,
    );
  }
  return found;
}

/**
 * Splits runs of digits into groups of three counted from the right ("1234567" → "1", "234", "567"). Done by hand:
 * the published patterns look ahead over the whole rest of the run at each group, which is quadratic.
 * @param mode 'at_word_end' leaves a run alone that a letter or underscore follows, as `\b` in the pattern does.
 */
export function splitDigits(text: string, mode: 'always' | 'at_word_end'): string[] {
  const digit = mode === 'always' ? /\p{N}+/gu : /\p{Nd}+/gu;
  const pieces: string[] = [];
  let end = 0;
  for (const match of text.matchAll(digit)) {
    const after = match.index + match[0].length;
    if (mode === 'at_word_end' && /^[\p{L}\p{M}\p{N}\p{Pc}]/u.test(text.slice(after, after + 2))) continue;
    if (match.index > end) pieces.push(text.slice(end, match.index));
    const digits = Array.from(match[0]);
    for (let at = 0; at < digits.length;) {
      const take = (digits.length - at) % 3 || 3;
      pieces.push(digits.slice(at, at + take).join(''));
      at += take;
    }
    end = after;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}
