/** Compiles kernel calls: one pipeline per distinct (ShaderKey, constants), one shader module per ShaderKey. */
import type { BufferView, KernelCall, ShaderKey } from './kernel.ts';
import { shaderKeyName, type ShaderLibrary } from './shader_library.ts';

/** Pipelines compiled at a time: drivers compile on their own threads, but each one in flight takes memory. */
const PARALLEL_COMPILES = 4;

/** A call ready to be encoded. */
export interface PreparedCall {
  readonly label: string;
  /** Linked shader and matrix shape: what profiles add up by. */
  readonly kernel: string;
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly workgroups: readonly [number, number, number];
}

export interface PipelineCache {
  /**
   * Compiles what `calls` need and isn't compiled yet, and builds their bind groups.
   * @param onProgress called with pipelines done and pipelines to compile.
   * @throws Error with the shader's name, line and message where WGSL is refused; AbortError's reason on `signal`.
   */
  prepare(
    calls: readonly KernelCall[], onProgress?: (done: number, total: number) => void, signal?: AbortSignal,
  ): Promise<PreparedCall[]>;
}

function pipelineName(call: KernelCall): string {
  const constants = Object.keys(call.constants).sort().map((name) => `${name}=${call.constants[name]}`);
  return `${shaderKeyName(call.shader)} ${constants.join(' ')}`;
}

function kernelName(call: KernelCall): string {
  const { ROWS, COLS } = call.constants;
  return shaderKeyName(call.shader) + (ROWS === undefined ? '' : ` [${ROWS}, ${COLS}]`);
}

function bindingOf(view: BufferView): GPUBufferBinding {
  return { buffer: view.buffer, offset: view.byteOffset, size: view.byteLength };
}

/** Compiler errors of a module as 'line:column message', with the line's text; '' where there are none. */
async function compilerErrors(module: GPUShaderModule, code: string): Promise<string> {
  const { messages } = await module.getCompilationInfo();
  const lines = code.split('\n');
  return messages.filter((message) => message.type === 'error')
    .map((message) => `${message.lineNum}:${message.linePos} ${message.message}\n    ${lines[message.lineNum - 1]?.trim() ?? ''}`)
    .join('\n');
}

export function createPipelineCache(device: GPUDevice, library: ShaderLibrary): PipelineCache {
  const modules = new Map<string, Promise<GPUShaderModule>>();
  const pipelines = new Map<string, GPUComputePipeline>();

  async function createModule(key: ShaderKey, name: string): Promise<GPUShaderModule> {
    const code = await library.link(key);
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ label: name, code });
    const scope = device.popErrorScope();
    const [errors, failure] = [await compilerErrors(module, code), await scope];
    if (errors !== '' || failure !== null) {
      throw new Error(`shader ${name} does not compile: ${errors !== '' ? errors : failure!.message}`);
    }
    return module;
  }

  function moduleFor(key: ShaderKey): Promise<GPUShaderModule> {
    const name = shaderKeyName(key);
    let module = modules.get(name);
    if (module === undefined) {
      module = createModule(key, name);
      modules.set(name, module);
    }
    return module;
  }

  async function compile(name: string, call: KernelCall): Promise<void> {
    const module = await moduleFor(call.shader);
    try {
      pipelines.set(name, await device.createComputePipelineAsync({
        label: name, layout: 'auto', compute: { module, entryPoint: 'main', constants: { ...call.constants } },
      }));
    } catch (cause) {
      throw new Error(`kernel ${call.label} (${name}): ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }

  async function compileAll(
    missing: Map<string, KernelCall>, onProgress: ((done: number, total: number) => void) | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const queue = [...missing];
    const total = queue.length;
    let done = 0;
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        signal?.throwIfAborted();
        await compile(next[0], next[1]);
        onProgress?.(++done, total);
      }
    };
    // All workers are awaited before the first failure is reported, so that nothing runs on after prepare() rejected.
    const stop = (cause: unknown): never => { queue.length = 0; throw cause; };
    const results = await Promise.allSettled(Array.from({ length: PARALLEL_COMPILES }, () => worker().catch(stop)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  return {
    async prepare(calls, onProgress, signal) {
      const names = calls.map(pipelineName);
      const missing = new Map<string, KernelCall>();
      names.forEach((name, i) => { if (!pipelines.has(name)) missing.set(name, calls[i]); });
      await compileAll(missing, onProgress, signal);
      device.pushErrorScope('validation');
      const prepared = calls.map((call, i) => {
        const pipeline = pipelines.get(names[i])!;
        const bindGroup = device.createBindGroup({
          label: call.label, layout: pipeline.getBindGroupLayout(0),
          entries: call.bindings.map((view, binding) => ({ binding, resource: bindingOf(view) })),
        });
        return { label: call.label, kernel: kernelName(call), pipeline, bindGroup, workgroups: call.workgroups };
      });
      const failure = await device.popErrorScope();
      if (failure !== null) throw new Error(`bind groups are refused: ${failure.message}`);
      return prepared;
    },
  };
}

/** Encodes calls in order. Dispatches of one pass see each other's writes. */
export function encodeCalls(pass: GPUComputePassEncoder, calls: readonly PreparedCall[]): void {
  let pipeline: GPUComputePipeline | null = null;
  for (const call of calls) {
    if (call.pipeline !== pipeline) pass.setPipeline(call.pipeline);
    pipeline = call.pipeline;
    pass.setBindGroup(0, call.bindGroup);
    pass.dispatchWorkgroups(...call.workgroups);
  }
}
