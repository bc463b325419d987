/** Relative L2 error of logits that each back end may have against float32 Hugging Face transformers. */
export const LOGITS_TOLERANCE = {
  reference: 1e-4,
  webgpu: 2e-3,
} as const;

/** Largest error of one WebGPU op relative to its largest output, against the scalar op in f64 sums. */
export const OP_TOLERANCE = 2e-5;
