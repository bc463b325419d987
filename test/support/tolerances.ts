/** Relative L2 error of logits that each back end may have against float32 Hugging Face transformers. */
export const LOGITS_TOLERANCE = {
  reference: 1e-4,
  webgpu: 2e-3,
} as const;

/** The same against llama.cpp's logits of quantised models: it rounds activations to 8 bits, we don't. */
export const EIGHT_BIT_ACTIVATIONS_TOLERANCE = 3e-2;
/** The same for F16 weights, where it rounds activations to f16. */
export const F16_ACTIVATIONS_TOLERANCE = 2e-3;
/** The same where that rounding turned a near tie of two experts around, so that another one was computed. */
export const OTHER_EXPERT_TOLERANCE = 0.4;

/** Largest error of one WebGPU op relative to its largest output, against the scalar op in f64 sums. */
export const OP_TOLERANCE = 2e-5;
