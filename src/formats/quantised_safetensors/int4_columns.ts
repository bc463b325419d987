/**
 * 4-bit integers stored input by input, so that our rows are columns of theirs: GPTQ's qweight I32 [in / 8, out], where a
 * word holds eight inputs of one output, and AWQ's (GEMM) qweight I32 [in, out / 8], where it holds eight outputs of one
 * input in the order of AWQ_NIBBLES. Both have scales [groups, out] and qzeros I32 [groups, out / 8]; GPTQ's first format
 * stores zero points less one. Facts: GPTQModel's and AutoAWQ's dequantising kernels.
 */
import type { TensorRef } from '../checkpoint.ts';
import { AWQ_NIBBLES } from '../code_order.ts';
import { described, readStored, tensorError, type StoredTensor } from '../stored_tensor.ts';
import { derivedTensor } from './derived_tensor.ts';
import { int4Layout, scaleWord, wordsOf, writeWord, type Int4Layout } from './int4_blocks.ts';
import { readFloats } from './scales.ts';

const WEIGHTS_PER_WORD = 8;
const GPTQ_NIBBLES: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];
/** Most bytes of a stored tensor read at a time, unless one of its rows is longer. */
const STRIP_BYTE_LENGTH = 4 * 1024 * 1024;

export interface Int4Columns {
  readonly kind: 'gptq' | 'awq';
  /** Inputs that share a scale; −1 for all. */
  readonly groupSize: number;
  /** What is added to stored zero points: 1 for GPTQ's first format. */
  readonly zeroOffset: number;
}

export interface Int4ColumnParts {
  readonly codes: StoredTensor;
  readonly scales: StoredTensor;
  readonly zeros: StoredTensor;
}

/** @throws ModelFormatError where shapes don't fit 4 bits, each other, or a block */
export function int4ColumnsTensor(name: string, parts: Int4ColumnParts, { kind, groupSize, zeroOffset }: Int4Columns): TensorRef {
  const { codes, scales, zeros } = parts;
  const [codeRows, codeCols] = codes.shape;
  const [inputs, outputs] = kind === 'gptq'
    ? [codeRows * WEIGHTS_PER_WORD, codeCols] : [codeRows, codeCols * WEIGHTS_PER_WORD];
  const groupElems = groupSize === -1 ? inputs : groupSize;
  const groups = Math.ceil(inputs / groupElems);
  const isWords = (t: StoredTensor, rows: number, cols: number): boolean =>
    t.dtype === 'I32' && t.shape.length === 2 && t.shape[0] === rows && t.shape[1] === cols;
  const fits = codes.dtype === 'I32' && codes.shape.length === 2 && scales.shape.length === 2
    && scales.shape[0] === groups && scales.shape[1] === outputs
    && isWords(zeros, groups, Math.ceil(outputs / WEIGHTS_PER_WORD));
  if (!fits) {
    throw tensorError(codes,
      `(${described(codes)}, scales ${described(scales)}, zero points ${described(zeros)}) isn't ${kind.toUpperCase()} ` +
      `with 4 bits and groups of ${groupSize}, the only kind that is supported`);
  }
  const layout = int4Layout(codes, inputs, groupElems);
  const context: Context = { parts, layout, outputs, groups, groupElems, zeroOffset };
  return derivedTensor(name, codes, {
    format: layout.format, shape: [outputs, inputs], order: kind,
    async readRows(firstRow, rowCount, out) {
      await writeScales(context, kind === 'gptq' ? GPTQ_NIBBLES : AWQ_NIBBLES, firstRow, rowCount, out);
      await (kind === 'gptq' ? writeGptqCodes : writeAwqCodes)(context, firstRow, rowCount, out);
    },
  });
}

interface Context {
  readonly parts: Int4ColumnParts;
  readonly layout: Int4Layout;
  readonly outputs: number;
  readonly groups: number;
  readonly groupElems: number;
  readonly zeroOffset: number;
}

/** Elements [first, first + count) of each row of a stored matrix, a strip of rows at a time. */
async function* rowStrips<T extends { subarray(begin: number, end: number): T }>(
  rows: number, rowElems: number, elemByteLength: number, first: number, count: number,
  read: (first: number, count: number) => Promise<T>,
): AsyncGenerator<{ readonly row: number; readonly values: T }> {
  const perStrip = Math.floor(STRIP_BYTE_LENGTH / (rowElems * elemByteLength));
  if (perStrip === 0) {
    for (let row = 0; row < rows; row++) yield { row, values: await read(row * rowElems + first, count) };
    return;
  }
  for (let begin = 0; begin < rows; begin += perStrip) {
    const stripRows = Math.min(perStrip, rows - begin);
    const strip = await read(begin * rowElems, stripRows * rowElems);
    for (let row = 0; row < stripRows; row++) {
      const at = row * rowElems + first;
      yield { row: begin + row, values: strip.subarray(at, at + count) };
    }
  }
}

const readWords = (tensor: StoredTensor) => async (first: number, count: number): Promise<Uint32Array> =>
  wordsOf(await readStored(tensor, first * 4, count * 4));

/** Words that hold eight outputs each, for outputs [first, first + count). */
function outputWords(first: number, count: number): { readonly firstWord: number; readonly words: number } {
  const firstWord = Math.floor(first / WEIGHTS_PER_WORD);
  return { firstWord, words: Math.ceil((first + count) / WEIGHTS_PER_WORD) - firstWord };
}

async function writeScales(
  c: Context, nibbles: readonly number[], firstRow: number, rowCount: number, out: Uint8Array,
): Promise<void> {
  const { parts: { scales, zeros }, layout, groupElems } = c;
  const { firstWord, words } = outputWords(firstRow, rowCount);
  const zeroRows = rowStrips(c.groups, zeros.shape[1], 4, firstWord, words, readWords(zeros));
  const scaleRows = rowStrips(c.groups, c.outputs, 4, firstRow, rowCount, (first, count) => readFloats(scales, first, count));
  for await (const { row: group, values } of scaleRows) {
    const zeroWords = (await zeroRows.next()).value!.values as Uint32Array;
    const firstBlock = Math.ceil(group * groupElems / layout.blockElems);
    const endBlock = Math.min(layout.blocksPerRow, Math.ceil((group + 1) * groupElems / layout.blockElems));
    for (let row = 0; row < rowCount; row++) {
      const output = firstRow + row;
      const packed = zeroWords[Math.floor(output / WEIGHTS_PER_WORD) - firstWord];
      const zero = ((packed >>> (4 * nibbles[output % WEIGHTS_PER_WORD])) & 15) + c.zeroOffset;
      const word = scaleWord(scales, values[row], zero);
      for (let block = firstBlock; block < endBlock; block++) {
        writeWord(out, row * layout.rowByteLength + block * layout.blockByteLength, word);
      }
    }
  }
}

/** Offset in a row of the byte with this input's code. */
function codeByte({ blockElems, blockByteLength }: Int4Layout, input: number): number {
  return Math.floor(input / blockElems) * blockByteLength + 4 + ((input % blockElems) >> 1);
}

async function writeGptqCodes(c: Context, firstRow: number, rowCount: number, out: Uint8Array): Promise<void> {
  const { parts: { codes }, layout, outputs } = c;
  for await (const { row: inputWord, values } of rowStrips(codes.shape[0], outputs, 4, firstRow, rowCount, readWords(codes))) {
    // Eight inputs of an output, in order: just the bytes that the block wants.
    const at = codeByte(layout, inputWord * WEIGHTS_PER_WORD);
    for (let row = 0; row < rowCount; row++) writeWord(out, row * layout.rowByteLength + at, values[row]);
  }
}

async function writeAwqCodes(c: Context, firstRow: number, rowCount: number, out: Uint8Array): Promise<void> {
  const { parts: { codes }, layout } = c;
  const { firstWord, words } = outputWords(firstRow, rowCount);
  const inputs: Uint32Array[] = [];
  for await (const { row: input, values } of rowStrips(codes.shape[0], codes.shape[1], 4, firstWord, words, readWords(codes))) {
    // Eight inputs of eight outputs at a time: words in, words out.
    if (inputs.push(values) < WEIGHTS_PER_WORD) continue;
    const at = codeByte(layout, input - WEIGHTS_PER_WORD + 1);
    for (let word = 0; word < words; word++) {
      const firstOutput = (firstWord + word) * WEIGHTS_PER_WORD - firstRow;
      for (let j = Math.max(0, -firstOutput); j < WEIGHTS_PER_WORD && firstOutput + j < rowCount; j++) {
        const shift = 4 * AWQ_NIBBLES[j];
        let turned = 0;
        for (let i = 0; i < WEIGHTS_PER_WORD; i++) turned |= ((inputs[i][word] >>> shift) & 15) << (4 * i);
        writeWord(out, (firstOutput + j) * layout.rowByteLength + at, turned);
      }
    }
    inputs.length = 0;
  }
}
