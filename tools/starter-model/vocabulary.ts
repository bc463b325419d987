/**
 * The starter model's tokenizer: 3 control tokens, the 256 bytes, and one token for each merge in merges.txt
 * (the 253 merges of the byte-level BPE that the project's tiny reference models share).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GgufTypedValue } from '../../src/formats/gguf_writer.ts';

const CONTROL_TOKENS = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
const END_OF_TEXT = 0;
const IM_END = 2;

/** ggml's token types. */
const NORMAL = 1;
const CONTROL = 3;

const CHATML = [
  '{%- for message in messages %}',
  "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}",
  '{%- endfor %}',
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
].join('');

function codePoints(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
}

/** The 256 characters that stand for bytes in byte-level BPE: 188 printable ones for themselves, 68 spare ones. */
const BYTE_CHARACTERS = [
  ...codePoints(0x21, 0x7e), ...codePoints(0xa1, 0xac), ...codePoints(0xae, 0xff), ...codePoints(0x100, 0x143),
];

function readMerges(): string[] {
  return readFileSync(join(import.meta.dirname, 'merges.txt'), 'utf8').trim().split('\n');
}

export interface Vocabulary {
  readonly size: number;
  readonly metadata: ReadonlyMap<string, GgufTypedValue>;
}

export function starterVocabulary(): Vocabulary {
  const merges = readMerges();
  const tokens = [...CONTROL_TOKENS, ...BYTE_CHARACTERS, ...merges.map((merge) => merge.replace(' ', ''))];
  const types = tokens.map((_, id) => (id < CONTROL_TOKENS.length ? CONTROL : NORMAL));
  return {
    size: tokens.length,
    metadata: new Map<string, GgufTypedValue>([
      ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
      ['tokenizer.ggml.pre', { type: 'string', value: 'qwen2' }],
      ['tokenizer.ggml.tokens', { type: 'array', of: 'string', value: tokens }],
      ['tokenizer.ggml.token_type', { type: 'array', of: 'int32', value: types }],
      ['tokenizer.ggml.merges', { type: 'array', of: 'string', value: merges }],
      ['tokenizer.ggml.eos_token_id', { type: 'uint32', value: IM_END }],
      ['tokenizer.ggml.padding_token_id', { type: 'uint32', value: END_OF_TEXT }],
      ['tokenizer.ggml.add_bos_token', { type: 'bool', value: false }],
      ['tokenizer.chat_template', { type: 'string', value: CHATML }],
    ]),
  };
}
