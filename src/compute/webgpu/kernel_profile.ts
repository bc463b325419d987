/** GPU time of every kernel by timestamp queries. Each call runs in a pass of its own, so it costs launches: off by default. */
import { GPU_COPY_DST, GPU_COPY_SRC, GPU_MAP_READ, GPU_QUERY_RESOLVE, MAP_MODE_READ } from './device.ts';
import { encodeCalls, type PreparedCall } from './pipeline_cache.ts';

/** WebGPU's largest query set. */
const MAX_QUERIES = 4096;
const TIMESTAMP_BYTES = 8;

export interface KernelTime {
  /** Shader and weight format: 'matvec+quant/q4_k+index/expert+reduce/subgroup'. */
  readonly kernel: string;
  readonly calls: number;
  readonly milliseconds: number;
}

export interface KernelProfile {
  /** Encodes calls with timestamps. More than MAX_QUERIES / 2 calls a step: the rest runs unmeasured. */
  encode(encoder: GPUCommandEncoder, calls: readonly PreparedCall[]): void;
  /** Reads what was encoded since the last collect(), after its submit; tells milliseconds since the first call began. */
  collect(onKernel?: (kernel: string, begin: number, end: number) => void): Promise<void>;
  /** Totals since the start, slowest first. */
  totals(): KernelTime[];
  reset(): void;
  destroy(): void;
}

/** @throws Error where the device has no timestamp-query. */
export function createKernelProfile(device: GPUDevice): KernelProfile {
  if (!device.features.has('timestamp-query')) throw new Error('this adapter offers no timestamp queries');
  const querySet = device.createQuerySet({ label: 'kernel times', type: 'timestamp', count: MAX_QUERIES });
  const resolved = device.createBuffer({
    label: 'kernel times', size: MAX_QUERIES * TIMESTAMP_BYTES, usage: GPU_QUERY_RESOLVE | GPU_COPY_SRC,
  });
  let pending: PreparedCall[] = [];
  const totals = new Map<string, { calls: number; milliseconds: number }>();
  return {
    encode(encoder, calls) {
      const measured = calls.slice(0, MAX_QUERIES / 2);
      measured.forEach((call, i) => {
        const pass = encoder.beginComputePass({
          label: call.label,
          timestampWrites: { querySet, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 },
        });
        encodeCalls(pass, [call]);
        pass.end();
      });
      if (calls.length > measured.length) {
        const pass = encoder.beginComputePass();
        encodeCalls(pass, calls.slice(measured.length));
        pass.end();
      }
      encoder.resolveQuerySet(querySet, 0, 2 * measured.length, resolved, 0);
      pending = measured;
    },
    async collect(onKernel) {
      const byteLength = 2 * pending.length * TIMESTAMP_BYTES;
      if (byteLength === 0) return;
      const staging = device.createBuffer({ size: byteLength, usage: GPU_MAP_READ | GPU_COPY_DST });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, byteLength);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(MAP_MODE_READ);
      const nanoseconds = new BigUint64Array(staging.getMappedRange());
      pending.forEach((call, i) => {
        const total = totals.get(call.kernel) ?? { calls: 0, milliseconds: 0 };
        total.calls += 1;
        total.milliseconds += Number(nanoseconds[2 * i + 1] - nanoseconds[2 * i]) / 1e6;
        totals.set(call.kernel, total);
        onKernel?.(call.kernel, Number(nanoseconds[2 * i] - nanoseconds[0]) / 1e6, Number(nanoseconds[2 * i + 1] - nanoseconds[0]) / 1e6);
      });
      pending = [];
      staging.destroy();
    },
    totals: () => [...totals].map(([kernel, t]) => ({ kernel, ...t })).sort((a, b) => b.milliseconds - a.milliseconds),
    reset() { totals.clear(); },
    destroy() {
      querySet.destroy();
      resolved.destroy();
    },
  };
}
