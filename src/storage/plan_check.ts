/** What the importer relies on in a plan, checked before a byte is written. */
import { ModelFormatError } from '../formats/checkpoint.ts';
import type { MatrixSlice, ModelPlan } from '../formats/model_plan.ts';
import { fileByteLength } from '../quant/pack.ts';
import { WEIGHT_FORMATS } from '../quant/formats.ts';

/**
 * @throws ModelFormatError naming the tensor where a slice's length isn't its shape's or lies outside its file, or
 *   where a layer doesn't have one gate, up and down for each expert.
 */
export function checkPlan(plan: ModelPlan): void {
  for (const { slice } of plan.dense) checkSlice(slice);
  const { expertCount } = plan.hyperparameters;
  for (const layer of plan.experts) {
    for (const slices of [layer.gate, layer.up, layer.down]) {
      if (slices.length !== expertCount || expertCount === 0) {
        throw new ModelFormatError(
          `${plan.name}: layer ${layer.layer} has ${slices.length} experts where the model says ${expertCount}.`);
      }
      slices.forEach(checkSlice);
    }
  }
}

function checkSlice(slice: MatrixSlice): void {
  const { source, tensor, format, rows, cols } = slice;
  if (cols % WEIGHT_FORMATS[format].blockElems !== 0) {
    throw new ModelFormatError(
      `${source.name}: a row of ${tensor} has ${cols} weights, no multiple of the ${format} block of ` +
      `${WEIGHT_FORMATS[format].blockElems}.`);
  }
  const expected = fileByteLength(format, rows, cols);
  if (slice.byteLength !== expected) {
    throw new ModelFormatError(
      `${source.name}: ${tensor} has ${slice.byteLength} bytes, but [${rows}, ${cols}] in ${format} takes ${expected}.`);
  }
  if (slice.byteOffset < 0 || slice.byteOffset + slice.byteLength > source.byteLength) {
    throw new ModelFormatError(
      `${source.name}: ${tensor} ends at byte ${slice.byteOffset + slice.byteLength}, past the file's end at ` +
      `${source.byteLength}.`);
  }
}
