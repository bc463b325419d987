import { describe, expect, it } from 'vitest';
import { ModelFormatError, type Checkpoint, type GgufValue } from '../../../src/formats/checkpoint.ts';
import { ARCHITECTURES, buildGraph, planModel } from '../../../src/models/registry.ts';
import { manifestFromPlan } from '../../../src/storage/manifest.ts';
import { fakeCheckpoint, TINY_QWEN3_METADATA, tinyQwen3Shapes } from '../../support/fake_model.ts';
import { openModel } from '../../support/model_files.ts';

function planWith(metadata: Readonly<Record<string, GgufValue | undefined>>, shapes = tinyQwen3Shapes()): () => unknown {
  const merged = Object.fromEntries(
    Object.entries({ ...TINY_QWEN3_METADATA, ...metadata }).filter(([, value]) => value !== undefined)) as Record<string, GgufValue>;
  return () => planModel(fakeCheckpoint({ metadata: merged, shapes }));
}

describe('planModel refuses, in one sentence,', () => {
  it('an unknown GGUF architecture, listing the supported ones', () => {
    expect(planWith({ 'general.architecture': 'mamba' })).toThrow(
      /^tiny\.gguf has the architecture 'mamba'.*qwen3moe, qwen2moe, olmoe, llama with experts, granitemoe/);
  });

  it('a llama without experts', () => {
    expect(planWith({ 'general.architecture': 'llama' })).toThrow(/'llama', which isn't supported.*llama with experts/);
  });

  it('an unknown model_type', () => {
    const checkpoint = fakeCheckpoint({ config: { model_type: 'bert' }, shapes: tinyQwen3Shapes() });
    expect(() => planModel(checkpoint)).toThrow(/'bert'.*qwen3_moe/);
  });

  it('a checkpoint without general.architecture', () => {
    expect(planWith({ 'general.architecture': undefined })).toThrow(/tiny\.gguf has no general\.architecture/);
  });

  it.each<[string, GgufValue | undefined, RegExp]>([
    ['block_count', undefined, /qwen3moe\.block_count is missing/],
    ['block_count', 2 ** 31, /qwen3moe\.block_count is 2147483648, expected a whole number from 1 to 1024/],
    ['embedding_length', -1, /embedding_length is -1/],
    ['embedding_length', 16.5, /embedding_length is 16\.5/],
    ['attention.head_count', 0, /head_count is 0/],
    ['attention.head_count_kv', 3, /head_count_kv is 3/],
    ['attention.head_count_kv', 0, /head_count_kv is 0/],
    ['attention.layer_norm_rms_epsilon', NaN, /layer_norm_rms_epsilon/],
    ['expert_used_count', 5, /expert_used_count is 5, expected a whole number from 1 to 4/],
    ['expert_count', 2 ** 53 - 1, /expert_count/],
    ['rope.freq_base', 0, /rope\.freq_base is 0/],
    ['rope.scaling.type', 'longrope', /'longrope'; supported are none, linear and yarn/],
    ['attention.value_length', 4, /value_length differs/],
    ['expert_gating_func', 2, /expert_gating_func isn't softmax/],
    ['rope.dimension_count', 7, /^tiny\.gguf: qwen3moe\.rope\.dimension_count gives 7 rotary dimensions/],
    ['context_length', 'long', /context_length is "long"/],
  ])('%s = %s', (key, value, message) => {
    const refused = planWith({ [`qwen3moe.${key}`]: value });
    expect(refused).toThrow(ModelFormatError);
    expect(refused).toThrow(message);
  });

  it('a missing tensor, by name', () => {
    const shapes = tinyQwen3Shapes();
    shapes.delete('blk.1.attn_k.weight');
    expect(planWith({}, shapes)).toThrow(/tiny\.gguf lacks the tensor blk\.1\.attn_k\.weight/);
  });

  it('a missing expert tensor, by name', () => {
    const shapes = tinyQwen3Shapes();
    shapes.delete('blk.0.ffn_up_exps.weight');
    expect(planWith({}, shapes)).toThrow(/lacks the tensor blk\.0\.ffn_up_exps\.weight/);
  });

  it.each(['blk.1.attn_k.weight', 'blk.0.ffn_up_exps.weight', 'output.weight'])(
    'a tensor in a format that we lack: %s', (name) => {
      const shapes = tinyQwen3Shapes();
      shapes.delete(name);
      const checkpoint = fakeCheckpoint({ shapes, unsupportedTensors: new Map([[name, 'F8_E4M3']]) });
      expect(() => planModel(checkpoint)).toThrow(
        new RegExp(`stores tensor ${name} as F8_E4M3, which isn't supported; supported weight formats are F32`));
    });

  it('a tensor of the wrong shape, with found and expected', () => {
    const shapes = tinyQwen3Shapes().set('blk.0.attn_q.weight', [16, 8]);
    expect(planWith({}, shapes)).toThrow(
      /tensor blk\.0\.attn_q\.weight of shape \[16, 8\] where the qwen3moe hyperparameters give \[16, 16\]/);
  });

  it('stacked experts of the wrong count', () => {
    const shapes = tinyQwen3Shapes().set('blk.0.ffn_down_exps.weight', [3, 16, 8]);
    expect(planWith({}, shapes)).toThrow(/ffn_down_exps\.weight of shape \[3, 16, 8\].*\[4, 16, 8\]/);
  });

  it('a tensor that it would have to ignore', () => {
    const shapes = tinyQwen3Shapes().set('rope_freqs.weight', [4]);
    expect(planWith({}, shapes)).toThrow(/holds the tensor rope_freqs\.weight, which the qwen3moe architecture doesn't use/);
  });

  it('a bias in some layers only', () => {
    const shapes = tinyQwen3Shapes().set('blk.0.attn_q.bias', [16]);
    expect(planWith({}, shapes)).toThrow(/lacks the tensor blk\.1\.attn_q\.bias/);
  });

  it('a byte length that the shape doesn\'t explain', () => {
    const checkpoint = fakeCheckpoint({ shapes: tinyQwen3Shapes() });
    const tensors = new Map(checkpoint.tensors);
    tensors.set('output.weight', { ...checkpoint.tensors.get('output.weight')!, byteLength: 100 });
    expect(() => planModel({ ...checkpoint, tensors })).toThrow(/output\.weight in 100 bytes, but \[32, 16\] in F32 takes 2048/);
  });
});

describe('planModel accepts', () => {
  it('a model that ties its head to the embedding', () => {
    const shapes = tinyQwen3Shapes();
    shapes.delete('output.weight');
    const { hyperparameters, dense } = planModel(fakeCheckpoint({ shapes }));
    const graph = buildGraph('qwen3moe', hyperparameters, dense.map(({ name }) => name));
    expect(graph.ops.at(-1)).toMatchObject({ kind: 'linear', weight: 'token_embd.weight' });
  });

  it('one tensor an expert, as old GGUF files have', () => {
    const shapes = tinyQwen3Shapes();
    for (const layer of [0, 1]) {
      for (const [matrix, shape] of [['gate', [8, 16]], ['up', [8, 16]], ['down', [16, 8]]] as const) {
        shapes.delete(`blk.${layer}.ffn_${matrix}_exps.weight`);
        for (let expert = 0; expert < 4; expert++) shapes.set(`blk.${layer}.ffn_${matrix}.${expert}.weight`, shape);
      }
    }
    const { experts } = planModel(fakeCheckpoint({ shapes }));
    expect(experts[1].up.map(({ tensor }) => tensor)).toEqual([0, 1, 2, 3].map((e) => `blk.1.ffn_up.${e}.weight`));
  });

  it('gate and up fused into one tensor', () => {
    const shapes = tinyQwen3Shapes();
    const separate = planModel(fakeCheckpoint({ shapes })).experts[0];
    for (const layer of [0, 1]) {
      shapes.delete(`blk.${layer}.ffn_gate_exps.weight`);
      shapes.delete(`blk.${layer}.ffn_up_exps.weight`);
      shapes.set(`blk.${layer}.ffn_gate_up_exps.weight`, [4, 16, 16]);
    }
    const { gate, up } = planModel(fakeCheckpoint({ shapes })).experts[0];
    expect(gate.map(({ byteLength }) => byteLength)).toEqual(separate.gate.map(({ byteLength }) => byteLength));
    // Expert by expert, gate rows first, then up rows.
    expect(up.map(({ byteOffset }, e) => byteOffset - gate[e].byteOffset)).toEqual(gate.map(({ byteLength }) => byteLength));
    expect(gate[1].byteOffset - gate[0].byteOffset).toBe(2 * gate[0].byteLength);
  });

  it('per-layer metadata arrays whose entries agree', () => {
    expect(planWith({ 'qwen3moe.attention.head_count_kv': new Int32Array([1, 1]) })).not.toThrow();
    expect(planWith({ 'qwen3moe.attention.head_count_kv': new Int32Array([1, 2]) })).toThrow(/head_count_kv/);
  });

  it('dense layers between those with experts', () => {
    const shapes = tinyQwen3Shapes();
    for (const name of [...shapes.keys()].filter((key) => /^blk\.0\.ffn_(gate|up|down)_exps|^blk\.0\.ffn_gate_inp/.test(key))) {
      shapes.delete(name);
    }
    shapes.set('blk.0.ffn_gate.weight', [24, 16]).set('blk.0.ffn_up.weight', [24, 16]).set('blk.0.ffn_down.weight', [16, 24]);
    const metadata = { ...TINY_QWEN3_METADATA, 'qwen3moe.feed_forward_length': 24 };
    const plan = planModel(fakeCheckpoint({ metadata, shapes }));
    expect(plan.hyperparameters.denseLayers).toEqual([0]);
    expect(plan.experts.map(({ layer }) => layer)).toEqual([1]);
    const graph = buildGraph(plan.architecture, plan.hyperparameters, plan.dense.map(({ name }) => name));
    expect(graph.ops.filter(({ layer }) => layer === 0).map(({ kind }) => kind)).toContain('gated');
  });

  it('the expert weight scale and norm that the metadata gives', () => {
    const metadata = { ...TINY_QWEN3_METADATA, 'qwen3moe.expert_weights_scale': 2.5, 'qwen3moe.expert_weights_norm': false };
    const plan = planModel(fakeCheckpoint({ metadata, shapes: tinyQwen3Shapes() }));
    const graph = buildGraph(plan.architecture, plan.hyperparameters, plan.dense.map(({ name }) => name));
    expect(graph.ops.find(({ kind }) => kind === 'router')).toMatchObject({ scale: 2.5, normalize: false });
  });
});

describe('both containers of one model', () => {
  it.each(['qwen3_moe', 'qwen2_moe', 'granitemoeshared'] as const)('%s plan the same weights', async (architecture) => {
    const [fromHf, fromGguf] = await Promise.all([openModel(architecture, 'safetensors'), openModel(architecture, 'gguf')]);
    const [a, b] = [planModel(fromHf), planModel(fromGguf)];
    const shapesOf = ({ dense }: typeof a): unknown[] => dense.map(({ name, slice }) => [name, slice.rows, slice.cols]);
    expect(shapesOf(a)).toEqual(shapesOf(b));
    expect(a.experts.map(({ gate }) => gate.length)).toEqual(b.experts.map(({ gate }) => gate.length));
    const { ropeStyle: styleA, rmsNormEps: epsA, ...restA } = a.hyperparameters;
    const { ropeStyle: styleB, rmsNormEps: epsB, ...restB } = b.hyperparameters;
    expect([styleA, styleB]).toEqual(['half', architecture === 'granitemoeshared' ? 'interleaved' : 'half']);
    expect(epsA).toBeCloseTo(epsB, 12);
    expect({ ...restA, residualScale: Math.fround(restA.residualScale) })
      .toEqual({ ...restB, residualScale: Math.fround(restB.residualScale) });
  });
});

describe('manifestFromPlan', () => {
  it('aligns dense tensors to 256 bytes, expert matrices to 16 and rows to 4096', () => {
    const manifest = manifestFromPlan(planModel(fakeCheckpoint({ shapes: tinyQwen3Shapes() })));
    expect(manifest.dense.every(({ byteOffset }) => byteOffset % 256 === 0)).toBe(true);
    const sorted = [...manifest.dense].sort((a, b) => a.byteOffset - b.byteOffset);
    sorted.slice(1).forEach((entry, i) =>
      expect(entry.byteOffset).toBeGreaterThanOrEqual(sorted[i].byteOffset + sorted[i].byteLength));
    expect(manifest.expertStrideByteLength).toBe(4096);
    expect(manifest.expertLayers[0]).toMatchObject({
      gate: { byteOffset: 0, byteLength: 512 }, up: { byteOffset: 512 }, down: { byteOffset: 1024, rows: 16, cols: 8 },
    });
  });

  it('refuses experts of one layer that differ in format', () => {
    const plan = planModel(fakeCheckpoint({ shapes: tinyQwen3Shapes() }));
    const [first, ...others] = plan.experts[0].gate;
    const mixed = [{ ...plan.experts[0], gate: [first, { ...others[0], format: 'F16' as const }, ...others.slice(1)] }];
    expect(() => manifestFromPlan({ ...plan, experts: mixed })).toThrow(/all experts of a layer must share one format/);
  });
});

it('buildGraph refuses an architecture that this version doesn\'t know', () => {
  const { hyperparameters } = planModel(fakeCheckpoint({ shapes: tinyQwen3Shapes() }));
  expect(() => buildGraph('mamba', hyperparameters, [])).toThrow(ModelFormatError);
  expect(ARCHITECTURES.map(({ id }) => id)).toEqual(['qwen3moe', 'qwen2moe', 'olmoe', 'mixtral', 'granitemoe']);
});

describe('config.json', () => {
  const QWEN3_CONFIG = {
    model_type: 'qwen3_moe', hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 2, num_key_value_heads: 1,
    head_dim: 8, vocab_size: 32, max_position_embeddings: 64, num_experts: 4, num_experts_per_tok: 2,
    moe_intermediate_size: 8, norm_topk_prob: true, rms_norm_eps: 1e-6,
  };
  const planConfig = (changes: object): (() => unknown) => () =>
    planModel(fakeCheckpoint({ config: { ...QWEN3_CONFIG, ...changes }, shapes: new Map() }));

  /** A model of the kit with its config changed. */
  const openWith = async (architecture: 'qwen3_moe' | 'mixtral', changes: object): Promise<Checkpoint> => {
    const checkpoint = await openModel(architecture, 'safetensors');
    const { metadata } = checkpoint;
    if (metadata.kind !== 'hf') throw new Error('expected a Hugging Face folder');
    return { ...checkpoint, metadata: { ...metadata, config: { ...metadata.config, ...changes } } };
  };

  it.each<[object, RegExp]>([
    [{ hidden_size: undefined }, /^config\.json of tiny: hidden_size is missing/],
    [{ num_key_value_heads: 3 }, /num_key_value_heads is 3/],
    [{ num_attention_heads: 3, num_key_value_heads: 2 }, /num_key_value_heads is 2, which doesn't divide the 3 attention heads/],
    [{ hidden_act: 'gelu' }, /hidden_act is 'gelu'; only 'silu'/],
    [{ use_sliding_window: true, sliding_window: 8, layer_types: ['full_attention', 'sliding_attention'] }, /layer_types mixes/],
    [{ model_type: 'olmoe', intermediate_size: 8, clip_qkv: 8 }, /clip_qkv is set/],
    [{ norm_topk_prob: 'yes' }, /norm_topk_prob is "yes", expected true or false/],
    [{ tie_word_embeddings: false }, /lacks the tensor lm_head\.weight, and its config\.json says that it isn't tied/],
    [{}, /lacks the tensor model\.embed_tokens\.weight/],
  ])('%j is refused', (changes, message) => {
    expect(planConfig(changes)).toThrow(message);
  });

  it('a stored head that is tied is left out', async () => {
    const checkpoint = await openWith('qwen3_moe', { tie_word_embeddings: true });
    const { dense } = planModel(checkpoint);
    expect(dense.map(({ name }) => name)).not.toContain('output.weight');
  });

  it('layers without experts come from mlp_only_layers and decoder_sparse_step', async () => {
    const checkpoint = await openWith('qwen3_moe', { decoder_sparse_step: 2 });
    expect(() => planModel(checkpoint)).toThrow(/lacks the tensor model\.layers\.0\.mlp\.gate_proj\.weight/);
  });

  it('a sliding window is one for all layers', async () => {
    const checkpoint = await openWith('mixtral', { sliding_window: 32 });
    const plan = planModel(checkpoint);
    const graph = buildGraph(plan.architecture, plan.hyperparameters, plan.dense.map(({ name }) => name));
    const windows = graph.ops.flatMap((op) => (op.kind === 'attention' ? [op.window] : []));
    expect(windows).toEqual([32, 32, 32]);
  });
});
