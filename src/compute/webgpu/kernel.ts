/** What a kernel builder hands to the pipeline cache: plain data, one call = one dispatch. */

/** Part of a GPU buffer. byteOffset is a multiple of 256 (minStorageBufferOffsetAlignment). */
export interface BufferView {
  readonly buffer: GPUBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Which linked WGSL a call runs. Every combination of members is one module; see shader_library.ts. */
export interface ShaderKey {
  /** Module in shaders/ with the entry point `main`: 'matvec', 'rms_norm'. */
  readonly root: string;
  /** Module in shaders/quant/ that stands for `package::quant`; absent where the root decodes no weights. */
  readonly quant?: string;
  /** Module in shaders/index/ that stands for `package::index`. */
  readonly index?: 'dense' | 'expert';
  /** Module in shaders/reduce/ that stands for `package::reduce`. 'serial': one thread a row, for CPU adapters. */
  readonly reduce?: 'subgroup' | 'workgroup' | 'serial';
  /** Link condition of matvec: the product does the RMS norm of its input. */
  readonly normed?: boolean;
  /** Link condition of matmul: the tile holds the gate and the up matrix, and their product is written. */
  readonly gated?: boolean;
  /** Link condition of matmul: tiles of twice as many rows of x. */
  readonly wide?: boolean;
  /** Link condition of router_topk and moe_group: experts are looked up in a table of slots. */
  readonly paged?: boolean;
  /** Rows of weights are no multiple of 16 long: keeps what `@if(ragged)` marks. Float formats only; slow. */
  readonly ragged?: boolean;
}

export interface KernelCall {
  readonly label: string;
  readonly shader: ShaderKey;
  /** Pipeline-overridable constants: shapes, offsets, flags. Static for the life of a model. */
  readonly constants: Readonly<Record<string, number>>;
  /** Bindings 0, 1, 2 … of group 0, in order. */
  readonly bindings: readonly BufferView[];
  /** Workgroup counts, each at most 65,535. */
  readonly workgroups: readonly [number, number, number];
}

/** What the adapter can do, as the kernel builders need it. */
export interface DeviceTraits {
  readonly subgroups: boolean;
  readonly subgroupMinSize: number;
  readonly subgroupMaxSize: number;
  readonly shaderF16: boolean;
  /** True on software adapters (SwiftShader, lavapipe): barriers are slow, one thread a row is best. */
  readonly cpuAdapter: boolean;
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxStorageBufferBindingSize: number;
}

/**
 * Per-step values that kernels read from a storage buffer (array<u32>), written once a step:
 * [STEP_TOKEN_COUNT] rows of 'batch' activations in use, [STEP_OUTPUT_COUNT] rows of 'output' activations,
 * [STEP_POSITION] position of the step's first token in its sequence, [STEP_MISSED] written by the GPU: in the low half
 * the place of the first layer that lacked an expert plus 1, 0 where none did; in the high half how many experts layers
 * lacked.
 */
export const STEP_TOKEN_COUNT = 0;
export const STEP_OUTPUT_COUNT = 1;
export const STEP_POSITION = 2;
export const STEP_MISSED = 3;
