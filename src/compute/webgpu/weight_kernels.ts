/**
 * Kernel calls of the ops that read weights: linear, embed, experts. Pure functions from shapes and views to plain
 * data. WebGPU lets no dispatch bind one buffer both read-only and writable, so `out` (and each scratch view that a
 * dispatch writes) must lie in another GPUBuffer than everything the same dispatch reads; only `residual` may be
 * `out` itself.
 */
import { WEIGHT_FORMATS } from '../../quant/formats.ts';
import { packedLayout, type PackedLayout } from '../../quant/packed.ts';
import type { ExpertMatrixEntry } from '../../storage/model_source.ts';
import type { BufferView, DeviceTraits, KernelCall, ShaderKey } from './kernel.ts';
import type { ExpertRows, ExpertSlab, WeightPart } from './weights.ts';

/** From this many rows on a matrix product by tiles beats one matrix-vector product a row. */
const MATMUL_MIN_ROWS = 8;
/** WebGPU's maxComputeWorkgroupsPerDimension. */
const MAX_GRID = 65_535;
/** Weight rows that one thread team of matvec.wgsl computes. */
const MATVEC_TEAM_ROWS = 4;
const SERIAL_THREADS = 32;
/** Threads of a workgroup of experts_down.wgsl. */
const MAX_DOWN_THREADS = 256;
const ELEMENTWISE_THREADS = 64;
/** Tile sizes as written in matmul.wgsl and matmul_serial.wgsl. */
const MATMUL_TILE = { rows: 64, tokens: 32 } as const;
/** Tokens of a `wide` tile: dense products, where all tokens meet all weights. */
const MATMUL_WIDE_TOKENS = 64;
/** Matrices of so few rows (routers) make too few tiles to fill a graphics card. */
const MATMUL_MIN_WEIGHT_ROWS = 129;
const MATMUL_SERIAL_TILE = { rows: 2 * SERIAL_THREADS, tokens: 16 } as const;

type Constants = Record<string, number>;

/** An RMS norm of the whole input row that a product does itself; only for rowCapacity < MATMUL_MIN_ROWS. */
export interface InputNorm {
  /** [cols] f32; cols a multiple of 16. */
  readonly weight: BufferView;
  readonly eps: number;
}

interface CommonArgs {
  /** Prefix of the calls' labels: the weight's name. */
  readonly label: string;
  readonly traits: DeviceTraits;
  /** Most rows of x; the real number is read from step[countIndex] on the GPU. */
  readonly rowCapacity: number;
  readonly countIndex: number;
  readonly step: BufferView;
  /** Bound (read-only) where a kernel has a binding that the call does not use: at least 16 bytes, never written. */
  readonly dummy: BufferView;
}

export interface LinearArgs extends CommonArgs {
  /** The matrix, split by rows into parts no larger than a binding. */
  readonly weight: readonly WeightPart[];
  /** [rowCapacity, cols] f32; byteLength a multiple of 16. */
  readonly x: BufferView;
  readonly norm?: InputNorm | null;
  /** [rowCapacity, outCols] f32. */
  readonly out: BufferView;
  readonly outCols: number;
  /** [outCols] f32 */
  readonly bias: BufferView | null;
  /** [rowCapacity, outCols] f32; may be `out`. */
  readonly residual: BufferView | null;
  readonly scale: number;
  readonly clip: number | null;
}

export interface EmbedArgs extends CommonArgs {
  /** [vocab, cols], split by rows into parts. */
  readonly weight: readonly WeightPart[];
  /** [rowCapacity] u32 */
  readonly tokens: BufferView;
  /** [rowCapacity, cols] f32 */
  readonly out: BufferView;
  readonly scale: number;
}

/** Shapes of a layer's experts, as the manifest has them. */
export interface ExpertShapes {
  /** [ffn, hidden] */
  readonly gate: ExpertMatrixEntry;
  readonly up: ExpertMatrixEntry;
  /** [hidden, ffn] */
  readonly down: ExpertMatrixEntry;
}

/** Scratch of one experts op; all layers may share it. Each view in a GPUBuffer of its own. */
export interface ExpertScratch {
  /** act(gate x) * up x, one row a (token, expert) pair. */
  readonly hidden: BufferView;
  /** down's result, one row a pair. */
  readonly down: BufferView;
  /** Pairs sorted by expert and the tile table of the matrix products; `dummy` will do where rowCapacity is small. */
  readonly pairs: BufferView;
  readonly tiles: BufferView;
}

export interface ExpertArgs extends CommonArgs {
  readonly shapes: ExpertShapes;
  /** Experts of the layer, split into slabs no larger than a binding; together all of expertCount. */
  readonly slabs: readonly ExpertSlab[];
  readonly strideByteLength: number;
  readonly expertCount: number;
  /**
   * Set where slabs hold slots instead of all experts: [expertCount] u32, the slot of each expert of the layer. Batches
   * look experts up here; for one token, `ids` holds slots already.
   */
  readonly wave?: BufferView | null;
  readonly topK: number;
  /** [rowCapacity, hidden] f32 */
  readonly x: BufferView;
  readonly norm?: InputNorm | null;
  /** [rowCapacity, topK] u32 */
  readonly ids: BufferView;
  /** [rowCapacity, topK] f32 */
  readonly weights: BufferView;
  /** [rowCapacity, hidden] f32 */
  readonly out: BufferView;
  /** [rowCapacity, hidden] f32; may be `out`. */
  readonly residual: BufferView | null;
  readonly scale: number;
  readonly scratch: ExpertScratch;
}

/** The reduction to link: one thread a row on software adapters, else subgroups where the device has them. */
export function reduceFor(traits: DeviceTraits): NonNullable<ShaderKey['reduce']> {
  if (traits.cpuAdapter) return 'serial';
  return traits.subgroups ? 'subgroup' : 'workgroup';
}

function sameView(a: BufferView, b: BufferView): boolean {
  return a.buffer === b.buffer && a.byteOffset === b.byteOffset;
}

/** How residual is read (RESIDUAL in the shaders) and what to bind for it. */
function residualMode(residual: BufferView | null, out: BufferView, dummy: BufferView): { mode: number; view: BufferView } {
  if (residual === null) return { mode: 0, view: dummy };
  if (sameView(residual, out)) return { mode: 1, view: dummy };
  return { mode: 2, view: residual };
}

/** Word offsets of a matrix's planes, then its constants; `byteOffset` is the matrix's own place in the binding. */
function planeConstants(layout: PackedLayout, byteOffset: number): Constants {
  const regions = layout.constants ? [...layout.planes, layout.constants] : layout.planes;
  return Object.fromEntries(regions.map((region, p) => [`PLANE${p}`, (byteOffset + region.byteOffset) / 4]));
}

/** Threads of a team: enough that each has one group of 16 columns, as far as the device allows. */
function teamThreads(cols: number, traits: DeviceTraits): number {
  const wanted = 2 ** Math.ceil(Math.log2(Math.ceil(cols / 16)));
  return Math.max(32, Math.min(wanted, 256, traits.maxComputeInvocationsPerWorkgroup));
}

/** The module that decodes a matrix of this layout, and whether its rows need the slow path. */
function quantKey(layout: PackedLayout): Pick<ShaderKey, 'quant' | 'ragged'> {
  return { quant: WEIGHT_FORMATS[layout.format].shader, ...(layout.cols % 16 === 0 ? {} : { ragged: true }) };
}

interface Product {
  readonly label: string;
  readonly traits: DeviceTraits;
  readonly index: 'dense' | 'expert';
  readonly layout: PackedLayout;
  /** Shapes and flags beside those that the geometry decides. */
  readonly constants: Constants;
  readonly bindings: readonly BufferView[];
  readonly norm?: InputNorm | null;
}

function matvecCall(p: Product, products: number): KernelCall {
  const reduce = reduceFor(p.traits);
  const serial = reduce === 'serial';
  const threads = serial ? SERIAL_THREADS : teamThreads(p.layout.cols, p.traits);
  const groups = Math.ceil(p.layout.rows / (MATVEC_TEAM_ROWS * (serial ? threads : 1)));
  const gridX = Math.min(groups, MAX_GRID);
  return {
    label: p.label,
    shader: { root: 'matvec', ...quantKey(p.layout), index: p.index, reduce, ...(p.norm ? { normed: true } : {}) },
    constants: { ...p.constants, THREADS: threads, GRID_X: gridX, ...(p.norm ? { NORM_EPS: p.norm.eps } : {}) },
    bindings: p.norm ? [...p.bindings, p.norm.weight] : p.bindings, workgroups: [gridX, Math.ceil(groups / gridX), products],
  };
}

function matmulTile(traits: DeviceTraits): { readonly rows: number; readonly tokens: number } {
  return traits.cpuAdapter ? MATMUL_SERIAL_TILE : MATMUL_TILE;
}

function matmulCall(p: Product, tiles: number): KernelCall {
  const serial = p.traits.cpuAdapter;
  const gated = !serial && 'UP_WORDS' in p.constants;
  const wide = !serial && p.index === 'dense';
  return {
    label: p.label,
    shader: { root: serial ? 'matmul_serial' : 'matmul', ...quantKey(p.layout), index: p.index, ...(gated ? { gated: true } : {}), ...(wide ? { wide: true } : {}) },
    constants: serial ? { ...p.constants, THREADS: SERIAL_THREADS } : p.constants,
    bindings: p.bindings, workgroups: [Math.ceil(p.layout.rows / matmulTile(p.traits).rows), 1, tiles],
  };
}

/**
 * out[t, r] = residual[t, r] + scale * clamp(W[r] · x[t] + bias[r], ±clip) for the first step[countIndex] rows t.
 * One call a part of the weight.
 */
export function linearCalls(args: LinearArgs): KernelCall[] {
  const { traits, rowCapacity, dummy } = args;
  const residual = residualMode(args.residual, args.out, dummy);
  return args.weight.map(({ view, layout, firstRow }) => {
    const product: Product = {
      label: args.weight.length === 1 ? args.label : `${args.label} rows ${firstRow}+`,
      traits, index: 'dense', layout,
      constants: {
        ...planeConstants(layout, 0), ROWS: layout.rows, COLS: layout.cols, OUT_COLS: args.outCols, FIRST_ROW: firstRow,
        SCALE: args.scale, CLIP: args.clip ?? -1, HAS_BIAS: args.bias === null ? 0 : 1, RESIDUAL: residual.mode,
        COUNT_INDEX: args.countIndex,
      },
      bindings: [view, args.x, args.out, args.bias ?? dummy, residual.view, args.step],
      norm: args.norm,
    };
    const few = rowCapacity < MATMUL_MIN_ROWS || (!traits.cpuAdapter && layout.rows < MATMUL_MIN_WEIGHT_ROWS);
    return few
      ? matvecCall(product, rowCapacity)
      : matmulCall(product, Math.ceil(rowCapacity / (traits.cpuAdapter ? MATMUL_SERIAL_TILE.tokens : MATMUL_WIDE_TOKENS)));
  });
}

/** out[t] = scale * W[tokens[t]]. One call a part of the weight. */
export function embedCalls(args: EmbedArgs): KernelCall[] {
  return args.weight.map(({ view, layout, firstRow }) => ({
    label: args.label,
    shader: { root: 'embed', ...quantKey(layout) },
    constants: {
      ...planeConstants(layout, 0), ROWS: layout.rows, COLS: layout.cols, FIRST_ROW: firstRow, SCALE: args.scale,
      COUNT_INDEX: args.countIndex, THREADS: ELEMENTWISE_THREADS,
    },
    bindings: [view, args.tokens, args.out, args.step],
    workgroups: [Math.ceil(layout.cols / 16 / ELEMENTWISE_THREADS), args.rowCapacity, 1],
  }));
}

/** Entries of the tile table: see moe_group.wgsl. */
function tileCount(rowCapacity: number, topK: number, expertCount: number, traits: DeviceTraits): number {
  return Math.floor(rowCapacity * topK / matmulTile(traits).tokens) + expertCount;
}

/** Bytes of each scratch view that expertCalls() needs; 16 where it is not used. */
export function expertScratchByteLengths(
  shapes: ExpertShapes, rowCapacity: number, topK: number, expertCount: number, traits: DeviceTraits, paged: boolean,
): Readonly<Record<keyof ExpertScratch, number>> {
  const pairs = rowCapacity * topK;
  const grouped = isGrouped(rowCapacity, paged);
  const padded = (byteLength: number): number => Math.ceil(byteLength / 16) * 16;
  return {
    hidden: padded(pairs * shapes.gate.rows * 4),
    down: padded(pairs * shapes.down.rows * 4),
    pairs: grouped ? padded(pairs * 4) : 16,
    tiles: grouped ? tileCount(rowCapacity, topK, expertCount, traits) * 16 : 16,
  };
}

/** Whether the pairs of a batch are sorted by expert; paged experts need it, since only so can they come in waves. */
function isGrouped(rowCapacity: number, paged: boolean): boolean {
  return rowCapacity >= MATMUL_MIN_ROWS || (paged && rowCapacity > 1);
}

/**
 * out[t] = residual[t] + scale * Σ_k weights[t, k] * down_e(silu(gate_e x[t]) * up_e x[t]), e = ids[t, k]. The last call
 * sums over k, the others write one row a pair.
 */
export function expertCalls(args: ExpertArgs): KernelCall[] {
  const { scratch } = args;
  const grouped = isGrouped(args.rowCapacity, Boolean(args.wave));
  const calls: KernelCall[] = grouped ? [groupCall(args)] : [];
  const add = (slab: ExpertSlab, name: string, m: ExpertMatrixEntry, x: BufferView, out: BufferView, more: Constants): void => {
    calls.push(expertProduct(args, slab, `${args.label} ${name}`, m, x, out, more, grouped));
  };
  for (const slab of args.slabs) {
    const { gate, up } = rowsOf(slab, args).shapes;
    if (gate.format === up.format) {
      // u32 arithmetic wraps, so the distance may be negative.
      add(slab, 'gate_up', gate, args.x, scratch.hidden, { UP_WORDS: ((up.byteOffset - gate.byteOffset) / 4) >>> 0 });
    } else {
      add(slab, 'gate', gate, args.x, scratch.hidden, {});
      add(slab, 'up', up, args.x, scratch.hidden, { GATE_IN_OUT: 1 });
    }
  }
  if (downIsOneCall(args)) {
    calls.push(downCall(args));
    return calls;
  }
  for (const slab of args.slabs) add(slab, 'down', rowsOf(slab, args).shapes.down, scratch.hidden, scratch.down, { X_PER_PAIR: 1 });
  calls.push(combineCall(args));
  return calls;
}

function rowsOf(slab: ExpertSlab, { shapes, strideByteLength }: ExpertArgs): ExpertRows {
  return slab.rows ?? { shapes, strideByteLength };
}

/** One dispatch fewer where a single token's experts lie in one binding; barriers make it slow on software adapters. */
function downIsOneCall({ rowCapacity, slabs, traits, topK }: ExpertArgs): boolean {
  return rowCapacity === 1 && slabs.length === 1 && slabs[0].rows === undefined && !traits.cpuAdapter && topK <= MAX_DOWN_THREADS / 4;
}

function downCall(args: ExpertArgs): KernelCall {
  const { shapes: { down }, topK, traits, dummy } = args;
  const layout = packedLayout(down.format, down.rows, down.cols);
  const residual = residualMode(args.residual, args.out, dummy);
  const threads = Math.min(MAX_DOWN_THREADS, traits.maxComputeInvocationsPerWorkgroup);
  const lanes = 2 ** Math.floor(Math.log2(Math.min(threads / topK, Math.max(4, down.cols / 16))));
  return {
    label: `${args.label} down`, shader: { root: 'experts_down', ...quantKey(layout) },
    constants: {
      ...planeConstants(layout, down.byteOffset), ROWS: down.rows, COLS: down.cols, OUT_COLS: down.rows, SCALE: args.scale,
      RESIDUAL: residual.mode, COUNT_INDEX: args.countIndex, TOP_K: topK, EXPERT_WORDS: args.strideByteLength / 4, LANES: lanes,
    },
    bindings: [args.slabs[0].view, args.scratch.hidden, args.out, dummy, residual.view, args.step, args.ids, args.weights],
    workgroups: [Math.ceil(down.rows / 4), 1, 1],
  };
}

function expertProduct(
  args: ExpertArgs, slab: ExpertSlab, label: string, matrix: ExpertMatrixEntry, x: BufferView, out: BufferView, more: Constants,
  grouped: boolean,
): KernelCall {
  const { dummy, scratch } = args;
  const layout = packedLayout(matrix.format, matrix.rows, matrix.cols);
  const product: Product = {
    label: args.slabs.length === 1 ? label : `${label} experts ${slab.firstExpert}+`,
    traits: args.traits, index: 'expert', layout,
    constants: {
      ...planeConstants(layout, matrix.byteOffset), ROWS: layout.rows, COLS: layout.cols, OUT_COLS: layout.rows,
      TOP_K: args.topK, FIRST_EXPERT: slab.firstExpert, SLAB_EXPERTS: slab.expertCount,
      EXPERT_WORDS: rowsOf(slab, args).strideByteLength / 4, COUNT_INDEX: args.countIndex, ...more,
    },
    bindings: grouped
      ? [slab.view, x, out, dummy, dummy, args.step, scratch.pairs, scratch.tiles]
      : [slab.view, x, out, dummy, dummy, args.step, args.ids],
    norm: x === args.x ? args.norm : null,
  };
  return grouped
    ? matmulCall(product, tileCount(args.rowCapacity, args.topK, args.expertCount, args.traits))
    : matvecCall(product, args.rowCapacity * args.topK);
}

function groupCall(args: ExpertArgs): KernelCall {
  const { traits, expertCount, topK, wave } = args;
  return {
    label: `${args.label} group`, shader: { root: 'moe_group', ...(wave ? { paged: true } : {}) },
    constants: {
      THREADS: traits.cpuAdapter ? 8 : 64, EXPERTS: expertCount, TOP_K: topK, TILE_ROWS: matmulTile(traits).tokens,
      TILES: tileCount(args.rowCapacity, topK, expertCount, traits), COUNT_INDEX: args.countIndex,
    },
    bindings: [args.ids, args.scratch.pairs, args.scratch.tiles, args.step, ...(wave ? [wave] : [])],
    workgroups: [expertCount, 1, 1],
  };
}

function combineCall(args: ExpertArgs): KernelCall {
  const residual = residualMode(args.residual, args.out, args.dummy);
  const cols = args.shapes.down.rows;
  return {
    label: `${args.label} combine`, shader: { root: 'moe_combine' },
    constants: {
      THREADS: ELEMENTWISE_THREADS, COLS: cols, TOP_K: args.topK, SCALE: args.scale, RESIDUAL: residual.mode,
      COUNT_INDEX: args.countIndex,
    },
    bindings: [args.scratch.down, args.weights, args.out, residual.view, args.step],
    workgroups: [Math.ceil(cols / ELEMENTWISE_THREADS), args.rowCapacity, 1],
  };
}
