/**
 * Decode on a graphics card waits for launches more than for bytes, so the ops of a one-row step are fused: norms
 * into the products that read them, q, k and v into one product, their norms, RoPE and the cache write into one
 * kernel. Pure graph rewriting; what a fused op computes is what its ops compute one after the other.
 */
import type { Activation, ModelGraph, Op } from '../ops.ts';

export type OpOf<K extends Op['kind']> = Extract<Op, { kind: K }>;

/** rms_norm of x that its only readers do themselves. */
export type FusedNorm = OpOf<'rms_norm'>;

export type LoweredOp =
  | { readonly kind: 'plain'; readonly op: Op }
  | { readonly kind: 'linear'; readonly op: OpOf<'linear'>; readonly norm: FusedNorm }
  | { readonly kind: 'experts'; readonly op: OpOf<'experts'>; readonly norm: FusedNorm | null }
  | {
      readonly kind: 'attention_block';
      /** q, k, v in this order; same x, no residual. */
      readonly projections: readonly [OpOf<'linear'>, OpOf<'linear'>, OpOf<'linear'>];
      readonly norm: FusedNorm | null;
      readonly qNorm: OpOf<'rms_norm'> | null;
      readonly kNorm: OpOf<'rms_norm'> | null;
      readonly rope: OpOf<'rope'>;
      readonly attention: OpOf<'attention'>;
    };

/** Weight names of the q, k and v projections that fuse: the uploader lays their rows out one after the other. */
export function projectionGroups(graph: ModelGraph): string[][] {
  return fuse(graph).filter((op) => op.kind === 'attention_block').map((block) => block.projections.map((p) => p.weight));
}

/** The graph's ops in order, fused where the patterns fit; anything else stays as it is. */
export function fuse(graph: ModelGraph): LoweredOp[] {
  const { ops } = graph;
  const folded = foldedNorms(ops);
  const normOf = (x: Activation, at: number): FusedNorm | null => {
    for (let i = at - 1; i >= 0; i--) if (writes(ops[i], x)) return folded.has(i) ? ops[i] as FusedNorm : null;
    return null;
  };
  const lowered: LoweredOp[] = [];
  for (let i = 0; i < ops.length; i++) {
    const op = ops[i];
    if (folded.has(i)) continue;
    const block = attentionBlockAt(ops, i);
    if (block) {
      lowered.push({ ...block.fused, norm: normOf(block.fused.projections[0].x, i) });
      i = block.end - 1;
      continue;
    }
    const norm = op.kind === 'linear' || op.kind === 'experts' ? normOf(op.x, i) : null;
    if (op.kind === 'experts') lowered.push({ kind: 'experts', op, norm });
    else if (op.kind === 'linear' && norm) lowered.push({ kind: 'linear', op, norm });
    else lowered.push({ kind: 'plain', op });
  }
  return lowered;
}

function written(op: Op): Activation[] {
  if (op.kind === 'rope') return [op.x];
  return op.kind === 'router' ? [op.ids, op.weights] : [op.out];
}

function writes(op: Op, activation: Activation): boolean {
  return written(op).some((a) => a.id === activation.id);
}

function reads(op: Op, activation: Activation): boolean {
  const inputs = Object.entries(op).filter(([name, value]) =>
    typeof value === 'object' && value !== null && 'cols' in value && !(name === 'out' || (op.kind === 'router' && name !== 'logits')));
  return inputs.some(([, value]) => (value as Activation).id === activation.id);
}

/**
 * Indices of the norms that all their readers can do themselves: readers are products of one token's row, and all of
 * them run before the norm's input changes (a shared expert reads the norm after the routed experts' output joined
 * the residual stream, so its norm must stay).
 */
function foldedNorms(ops: readonly Op[]): Set<number> {
  const folded = new Set<number>();
  ops.forEach((op, i) => {
    if (op.kind !== 'rms_norm' || op.x.id === op.out.id || op.groupElems !== op.x.cols) return;
    let inputChanged = false;
    for (let j = i + 1; j < ops.length; j++) {
      if (reads(ops[j], op.out)) {
        const product = (ops[j].kind === 'linear' || ops[j].kind === 'experts') && (ops[j] as OpOf<'linear'>).x.id === op.out.id;
        if (inputChanged || !product) return;
      }
      if (writes(ops[j], op.out)) break;
      if (writes(ops[j], op.x)) inputChanged = true;
    }
    folded.add(i);
  });
  return folded;
}

type AttentionBlock = Extract<LoweredOp, { kind: 'attention_block' }>;

/** Matches linear q, k, v; optional norms of q and k in place; rope of q and k; attention. `end`: index after it. */
function attentionBlockAt(ops: readonly Op[], start: number): { fused: Omit<AttentionBlock, 'norm'>; end: number } | null {
  let at = start;
  const take = <K extends Op['kind']>(kind: K, fits: (op: OpOf<K>) => boolean): OpOf<K> | null => {
    const op = ops[at];
    if (op?.kind !== kind || !fits(op as OpOf<K>)) return null;
    at += 1;
    return op as OpOf<K>;
  };
  const plain = (op: OpOf<'linear'>): boolean => op.residual === null && op.out.rows === 'batch';
  const q = take('linear', plain);
  if (!q) return null;
  const alike = (op: OpOf<'linear'>): boolean => plain(op) && op.x.id === q.x.id && op.scale === q.scale && op.clip === q.clip;
  const k = take('linear', alike);
  const v = take('linear', alike);
  if (!k || !v) return null;
  const inPlace = (of: Activation) => (op: OpOf<'rms_norm'>): boolean => op.x.id === of.id && op.out.id === of.id;
  const qNorm = take('rms_norm', inPlace(q.out));
  const kNorm = take('rms_norm', inPlace(k.out));
  const rope = take('rope', (op) => op.x.id === q.out.id);
  const sameRope = (op: OpOf<'rope'>): boolean => op.x.id === k.out.id && rope !== null && op.headDim === rope.headDim
    && op.style === rope.style && op.scale === rope.scale && op.invFreq.join() === rope.invFreq.join();
  if (!rope || !take('rope', sameRope)) return null;
  const attention = take('attention', (op) => op.q.id === q.out.id && op.k.id === k.out.id && op.v.id === v.out.id);
  if (!attention || (qNorm === null) !== (kNorm === null) || (qNorm && kNorm && qNorm.eps !== kNorm.eps)) return null;
  return { fused: { kind: 'attention_block', projections: [q, k, v], qNorm, kNorm, rope, attention }, end: at };
}
