/** A HostApi that plays a script, driven by words in the page's URL and in the messages. */
import type { BackendInfo } from '../../../src/compute/ops.ts';
import { EXACT, isExact } from '../../../src/experts/approximations.ts';
import type { AnswerResult, HostApi, ModelSummary, Progress } from '../../../src/hosts/api.ts';
import { createProfiler } from '../../../src/hosts/profiling.ts';
import { createScriptedProfile } from './scripted_profile.ts';
import { scriptedPreview, scriptedReport } from './scripted_imports.ts';

const GIGABYTE = 1e9;

const MODELS: readonly ModelSummary[] = [
  {
    id: 'big', name: 'Qwen3 30B A3B Instruct', architecture: 'qwen3moe', container: 'gguf', state: 'ready', conversion: 'keep',
    formats: [{ format: 'Q4_K', byteLength: 15 * GIGABYTE }, { format: 'Q6_K', byteLength: 3 * GIGABYTE }, { format: 'F32', byteLength: 1e8 }],
    byteLength: 18.6 * GIGABYTE, importedAt: Date.UTC(2026, 9, 3, 10), sourceFiles: ['Qwen3-30B-A3B-Instruct-Q4_K_M.gguf'],
  },
  {
    id: 'olmoe', name: 'OLMoE 1B 7B', architecture: 'olmoe', container: 'safetensors', state: 'ready', conversion: 'keep',
    formats: [{ format: 'BF16', byteLength: 13.8 * GIGABYTE }],
    byteLength: 13.8 * GIGABYTE, importedAt: Date.UTC(2026, 8, 12, 10), sourceFiles: ['config.json'],
  },
  {
    id: 'half', name: 'Mixtral 8x7B', architecture: 'mixtral', container: 'gguf', state: 'partial', conversion: 'keep',
    formats: [{ format: 'Q2_K', byteLength: 15 * GIGABYTE }],
    byteLength: 15 * GIGABYTE, importedAt: Date.UTC(2026, 8, 2, 10), sourceFiles: ['mixtral.gguf'],
  },
];

const ANSWER = `Mixture-of-Experts models keep **many small feed-forward networks** and use only a few of them for each token.

## What happens in one layer

1. A *router* scores all experts for the token.
2. The best \`top_k\` are run, the rest stay idle.
3. Their outputs are added, weighted by the scores.

| part | runs for each token | share of weights |
|---|---|---|
| attention | always | 6 % |
| experts | 8 of 128 | 93 % |

\`\`\`python
def moe(x, router, experts, top_k=8):
    scores = softmax(router(x))
    chosen = topk(scores, top_k)
    return sum(scores[i] * experts[i](x) for i in chosen)
\`\`\`

> So a 30 B model reads about 3 B weights a token. See [the paper](https://arxiv.org/abs/1701.06538) 🔥

<script>window.hacked = true</script><img src=x onerror="window.hacked = true">
`;

const sleep = (millis: number): Promise<void> => new Promise((done) => setTimeout(done, millis));

/** Query: `empty` no models, `nowebgpu` a fallback back end, `slow` long progress, `chatml` no chat template, `paged` fetched experts. */
export function createScriptedHost(query: URLSearchParams): HostApi {
  let models = query.has('empty') ? [] : [...MODELS];
  const profile = createScriptedProfile(query.has('paged'));
  const profiler = createProfiler(profile.tracer, { performance, console, userAgent: navigator.userAgent });
  let stopped = false;
  let cancelled = false;
  let applied = EXACT;
  let loseDevice: (sentence: string) => void = () => undefined;
  const backend: BackendInfo = query.has('nowebgpu')
    ? {
        kind: 'reference', label: 'Reference (CPU, slow)', adapter: '', features: [],
        fallbackReason: 'This browser offers no WebGPU adapter.',
      }
    : { kind: 'webgpu', label: 'WebGPU · NVIDIA GeForce RTX 4070', adapter: 'NVIDIA GeForce RTX 4070', features: ['subgroups'], fallbackReason: null };

  const play = async (progress: Omit<Progress, 'done'>, report: (p: Progress) => void): Promise<void> => {
    cancelled = false;
    const steps = query.has('slow') ? 300 : 5;
    for (let step = 0; step <= steps; step++) {
      if (cancelled) throw new Error('The work was cancelled.');
      report({ ...progress, done: Math.round((progress.total * step) / steps) });
      await sleep(20);
    }
  };

  return {
    environment: async () => ({ backend, storage: 'opfs', persisted: true, quotaBytes: 64 * GIGABYTE, usedBytes: 32.4 * GIGABYTE }),
    listModels: async () => models,
    async previewImport(files) {
      await sleep(50);
      return scriptedPreview(files, query, backend);
    },
    async importFiles(files, conversion, report) {
      const { name, architecture, choices } = scriptedPreview(files, query, backend);
      const choice = choices.find((entry) => entry.conversion === conversion);
      if (choice?.present === 'ready') return models[0];
      const byteLength = choice?.storageByteLength ?? 0;
      await play({ stage: 'Importing', total: byteLength, unit: 'bytes' }, report);
      const format = ({ 'keep': 'BF16', 'w2': 'W2', 'w2+fp4': 'MXFP4', 'w3': 'W3' } as const)[conversion];
      const model: ModelSummary = {
        id: `${files[0].path}-${conversion}`, name, architecture, container: 'safetensors', state: 'ready', conversion, byteLength,
        formats: [{ format, byteLength }, { format: 'BF16', byteLength: 3 * GIGABYTE }], importedAt: Date.now(), sourceFiles: [files[0].path],
      };
      models = [...models, model];
      return model;
    },
    conversionReport: async (id) => scriptedReport(models.find((model) => model.id === id)?.conversion ?? 'keep'),
    cancelImport: async () => {
      cancelled = true;
    },
    deleteModel: async (id) => {
      models = models.filter((model) => model.id !== id);
    },
    exportModel: async () => [{ name: 'model.gguf', blob: new Blob(['GGUF']) }],
    async openModel(id, options, report) {
      await play({ stage: 'Uploading to the GPU', total: 18.6 * GIGABYTE, unit: 'bytes' }, report);
      await play({ stage: 'Compiling shaders', total: 42, unit: 'kernels' }, report);
      const model = models.find((entry) => entry.id === id) ?? MODELS[0];
      profile.open();
      applied = options.approximations ?? EXACT;
      return {
        modelName: model.name, architecture: model.architecture, backend, contextLength: Math.min(options.contextLength, 40960),
        trainedContextLength: 40960, chatTemplate: query.has('chatml') ? 'chatml' : 'model', deviceByteLength: model.byteLength,
        experts: { expertByteLength: 0.8 * model.byteLength, gpuByteLength: 0.2 * model.byteLength, tierByteLength: 0, ramByteLength: 2 * GIGABYTE, fallbackReason: null },
        approximations: { applied, ignored: null },
      };
    },
    closeModel: async () => {
      cancelled = true;
    },
    setExpertRam: async () => null,
    setExpertGpu: async () => null,
    async generate(request, onEvent): Promise<AnswerResult> {
      stopped = false;
      const messages = request.input.kind === 'chat' ? request.input.messages : [];
      const last = messages.at(-1)?.content ?? '';
      if (last.includes('lose the device')) {
        loseDevice('The GPU was lost (driver reset). Open the model again to go on.');
        throw new Error('The GPU was lost (driver reset). Open the model again to go on.');
      }
      onEvent({ kind: 'prefill', done: 0, total: 40, reused: 0 });
      await sleep(50);
      onEvent({ kind: 'prefill', done: 40, total: 40, reused: 0 });
      profile.step('prefill', 0, 40);
      const text = last.includes('short') ? `You said: ${last}` : last.includes('loop') ? '>'.repeat(5000) : ANSWER;
      const pieces = text.match(/\s*\S+/g) ?? [];
      const endless = last.includes('endless');
      let written = '';
      let count = 0;
      for (let index = 0; endless || index < pieces.length; index++) {
        if (stopped) break;
        const piece = pieces[index % pieces.length];
        written += piece;
        profile.step('decode', 40 + index, 1);
        onEvent({ kind: 'token', token: index, text: piece });
        count++;
        await sleep(endless ? 20 : 4);
      }
      return {
        tokens: Array.from({ length: count }, (_, index) => index), text: written, stopReason: stopped ? 'stopped' : 'end',
        promptTokens: 40, reusedTokens: 0, prefillMs: 90, timeToFirstTokenMs: 118, decodeMs: 1000, tokensPerSecond: 47.3, contextUsed: 40 + count,
        approximation: isExact(applied) ? null : { promotions: 12, gatedSteps: 3, toleratedMisses: 5 },
      };
    },
    evaluateText: async () => {
      throw new Error('The scripted host measures nothing.');
    },
    stop: async () => {
      stopped = true;
    },
    watch: async (onNews) => {
      loseDevice = (sentence) => onNews({ kind: 'device-lost', sentence });
    },
    setProfiling: async (options) => profiler.set(options),
    profile: async (since) => profiler.snapshot(since),
    exportProfile: async (form) => profiler.export(form, { model: 'scripted' }),
    countTokens: async (list) => list.reduce((sum, message) => sum + Math.ceil(message.content.length / 4) + 4, 0),
  };
}
