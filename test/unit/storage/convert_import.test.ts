/** Imports that convert their experts: plan, pack, report, resume, tier and refusals. */
import { describe, expect, it } from 'vitest';
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import { ModelFormatError } from '../../../src/formats/checkpoint.ts';
import type { MatrixSlice } from '../../../src/formats/model_plan.ts';
import { convertRun } from '../../../src/quant/convert.ts';
import { errorStatsOf } from '../../../src/quant/error_stats.ts';
import type { WeightFormatName } from '../../../src/quant/formats.ts';
import { decodeRows, encodeRows, packRows } from '../../../src/quant/pack.ts';
import { createCrc32 } from '../../../src/storage/checksum.ts';
import { CONVERSION_FORMATS, EXPERT_CONVERSIONS, type ExpertConversion } from '../../../src/storage/conversion_report.ts';
import { conversionRefusal, convertPlan } from '../../../src/storage/convert_plan.ts';
import { createDirectSource } from '../../../src/storage/direct_source.ts';
import { createInThreadConverter, type ConversionJob, type ExpertConverter } from '../../../src/storage/expert_converter.ts';
import type { FileStore } from '../../../src/storage/file_store.ts';
import { modelId } from '../../../src/storage/fingerprint.ts';
import { importModel, type ImportOptions } from '../../../src/storage/importer.ts';
import { createLibrary } from '../../../src/storage/library.ts';
import { manifestFromJson } from '../../../src/storage/manifest_check.ts';
import { createMemoryStore } from '../../../src/storage/memory.ts';
import type { Manifest, ModelSource } from '../../../src/storage/model_source.ts';
import { writeRecord } from '../../../src/storage/records.ts';
import { createCrashStore, InjectedFault } from './crash_store.ts';
import { convertibleModel, EXPERTS, sameBytes, type ExpertFormats, type FakeModel } from './fake_model.ts';

const ID = 'model-1';
type Conversion = Exclude<ExpertConversion, 'keep'>;
const CONVERSIONS = EXPERT_CONVERSIONS.filter((conversion) => conversion !== 'keep');
const NAMES = ['gate', 'up', 'down'] as const;
/** Small enough that a matrix takes several pieces, and several matrices are read ahead. */
const CONVERSION_LIMITS = { pieceElems: 1024, readAheadByteLength: 20_000 };
const IMPORT_LIMITS = { runByteLength: 1500, journalIntervalByteLength: 4000 };

/** Workers without threads: each conversion ends some turns later than it was begun. */
function lateConverter(): ExpertConverter & { waiting(): number; most(): number } {
  let waiting = 0;
  let most = 0;
  return {
    workerCount: 3,
    waiting: () => waiting,
    most: () => most,
    async convert({ run, targets }: ConversionJob) {
      most = Math.max(most, ++waiting);
      await new Promise((resolve) => setImmediate(resolve));
      waiting--;
      return convertRun(run, targets);
    },
    close: () => undefined,
  };
}

function optionsFor(
  model: FakeModel, store: FileStore, conversion: ExpertConversion, more: Partial<ImportOptions> = {},
  converter: ExpertConverter = createInThreadConverter(),
): ImportOptions {
  const plan = convertPlan(model.plan, conversion, converter, CONVERSION_LIMITS);
  return { checkpoint: model.checkpoint, plan, files: model.files, store, id: ID, limits: IMPORT_LIMITS, now: () => 7, ...more };
}

/** What a matrix must be in the pack: converted in one go. */
async function expected(slice: MatrixSlice, target: WeightFormatName): Promise<Uint8Array> {
  const { format, rows, cols, source, byteOffset, byteLength } = slice;
  const bytes = await source.read(byteOffset, byteLength);
  if (format === target) return packRows(format, bytes, rows, cols);
  const [{ bytes: converted }] = convertRun({ format, bytes, elems: rows * cols, tensorScale: 1 }, [target]);
  return packRows(target, converted, rows, cols);
}

async function expectRows(source: ModelSource, manifest: Manifest, model: FakeModel, conversion: Conversion): Promise<void> {
  const { experts, tier } = CONVERSION_FORMATS[conversion];
  const rows = [
    { target: experts, layer: manifest.expertLayers[0], read: (e: number) => source.readExpertRow(1, e) },
    ...(tier === null ? [] : [{ target: tier, layer: manifest.tier!.layers[0], read: (e: number) => source.readTierRow(1, e) }]),
  ];
  for (const { target, layer, read } of rows) {
    for (let expert = 0; expert < EXPERTS; expert++) {
      const row = await read(expert);
      for (const name of NAMES) {
        const { format, byteOffset, byteLength } = layer[name];
        expect(format).toBe(target);
        const packed = await expected(model.plan.experts[0][name][expert], target);
        expect(sameBytes(row.subarray(byteOffset, byteOffset + byteLength), packed), `${target} ${name} ${expert}`).toBe(true);
      }
    }
  }
}

async function expectWhole(store: FileStore, model: FakeModel, conversion: Conversion): Promise<void> {
  const library = createLibrary(store, () => 0);
  expect(await library.list()).toMatchObject([{ id: ID, state: 'ready', conversion }]);
  await library.verify(ID);
  const pack = await library.open(ID);
  await expectRows(pack, pack.manifest, model, conversion);
  await pack.close();
  const report = (await library.conversionReport(ID))!;
  expect(report).toEqual(await expectedReport(model, conversion));
}

async function expectedReport(model: FakeModel, conversion: Conversion) {
  const { experts, tier } = CONVERSION_FORMATS[conversion];
  const round = (value: number) => expect.closeTo(value, 4) as number;
  const layerOf = async (target: WeightFormatName) => {
    const [plan] = model.plan.experts;
    const matrix = async (name: typeof NAMES[number]) => {
      const stats = await Promise.all(plan[name].map(async ({ format, rows, cols, source, byteOffset, byteLength }) => {
        const bytes = await source.read(byteOffset, byteLength);
        return errorStatsOf(convertRun({ format, bytes, elems: rows * cols, tensorScale: 1 }, [target])[0].sums);
      }));
      const mean = (values: number[]) => round(values.reduce((sum, value) => sum + value, 0) / values.length);
      return {
        from: plan[name][0].format, to: target,
        relativeRms: stats.map((s) => round(s.relativeRms)), cosine: stats.map((s) => round(s.cosine)),
        signBias: mean(stats.map((s) => s.signBias)), meanError: mean(stats.map((s) => s.meanError)),
      };
    };
    return [{ layer: 1, gate: await matrix('gate'), up: await matrix('up'), down: await matrix('down') }];
  };
  return {
    formatVersion: 1, conversion, layers: await layerOf(experts), tierLayers: tier === null ? null : await layerOf(tier),
  };
}

describe.each(CONVERSIONS)('an import that converts to %s', (conversion) => {
  it.each([['in this thread', createInThreadConverter], ['with workers', lateConverter]])(
    'stores what the encoder makes of the original, %s', async (_, createConverter) => {
      const model = convertibleModel();
      const store = createMemoryStore(4096);
      await importModel(optionsFor(model, store, conversion, {}, createConverter()));
      await expectWhole(store, model, conversion);
    });

  it('is what the direct source serves', async () => {
    const model = convertibleModel();
    const plan = convertPlan(model.plan, conversion, createInThreadConverter(), CONVERSION_LIMITS);
    const source = createDirectSource(plan);
    const stored = await importModel(optionsFor(model, createMemoryStore(), conversion));
    expect(source.manifest).toEqual(stored);
    await expectRows(source, stored, model, conversion);
    await expectRows(source, stored, model, conversion);
    if (CONVERSION_FORMATS[conversion].tier === null) await expect(source.readTierRow(1, 0)).rejects.toThrow(RangeError);
  });

  it('keeps nothing of the originals and refuses to give them back', async () => {
    const model = convertibleModel();
    const store = createMemoryStore();
    await importModel(optionsFor(model, store, conversion));
    expect(await (await store.open(ID, 'extra.pack', 'read')).size()).toBe(0);
    await expect(createLibrary(store, () => 0).exportFiles(ID)).rejects.toThrow(
      /^"Fake" was converted while it was imported, so its original files can't be given back\.$/);
  });
});

describe('a converted import', () => {
  it('resumes after a crash at any point with the numbers that it had', async () => {
    const model = convertibleModel();
    const counting = createCrashStore(createMemoryStore(4096), { failAt: 0, mode: 'crash', survivingEvery: 0 });
    await importModel(optionsFor(model, counting, 'w2+fp4'));
    let resumed = 0;
    for (let failAt = 1; failAt <= counting.operations(); failAt += 5) {
      const disk = createMemoryStore(4096);
      const failing = createCrashStore(disk, { failAt, mode: 'crash', survivingEvery: failAt % 3 });
      await expect(importModel(optionsFor(model, failing, 'w2+fp4'))).rejects.toThrow(InjectedFault);
      let first = -1;
      const onProgress = (done: number) => { if (first < 0) first = done; };
      await importModel(optionsFor(model, disk, 'w2+fp4', { onProgress }));
      if (first > 0) resumed++;
      await expectWhole(disk, model, 'w2+fp4');
    }
    expect(resumed).toBeGreaterThan(10);
  });

  it('stands beside other forms of the same files', async () => {
    const { checkpoint, files } = convertibleModel();
    const ids = await Promise.all(EXPERT_CONVERSIONS.map((conversion) => modelId(checkpoint, files, conversion)));
    expect(new Set(ids).size).toBe(EXPERT_CONVERSIONS.length);
    expect(ids[EXPERT_CONVERSIONS.indexOf('keep')]).toBe(await modelId(checkpoint, files));
  });

  it('leaves a matrix that is in the target format as it is', async () => {
    const model = convertibleModel({ gate: 'W2', up: 'BF16', down: 'W2' });
    const plan = convertPlan(model.plan, 'w2', createInThreadConverter());
    expect(plan.experts[0].gate).toEqual(model.plan.experts[0].gate);
    expect(plan.experts[0].up[0].format).toBe('W2');
    const store = createMemoryStore();
    await importModel(optionsFor(model, store, 'w2'));
    await expectWhole(store, model, 'w2');
    const [{ gate }] = (await createLibrary(store, () => 0).conversionReport(ID))!.layers;
    expect(gate).toEqual({ from: 'W2', to: 'W2', relativeRms: [0, 0, 0], cosine: [1, 1, 1], signBias: 0, meanError: 0 });
  });

  it('reads ahead within bounds, each original once', async () => {
    const model = convertibleModel();
    const converter = lateConverter();
    let bytesRead = 0;
    const [layer] = model.plan.experts;
    const counted = ({ source, ...slice }: MatrixSlice): MatrixSlice => ({
      ...slice,
      source: {
        ...source,
        async read(...range) {
          bytesRead += range[1];
          return source.read(...range);
        },
      },
    });
    const experts = [{ layer: 1, gate: layer.gate.map(counted), up: layer.up.map(counted), down: layer.down.map(counted) }];
    const total = experts.flatMap(({ gate, up, down }) => [...gate, ...up, ...down])
      .reduce((sum, { byteLength }) => sum + byteLength, 0);
    const store = createMemoryStore();
    await importModel(optionsFor({ ...model, plan: { ...model.plan, experts } }, store, 'w2+fp4', {}, converter));
    // The tier's MXFP4 rows that are MXFP4 already are read once more, without being converted.
    const keptByteLength = experts[0].up.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(bytesRead).toBe(total + keptByteLength);
    expect(converter.waiting()).toBe(0);
    expect(converter.most()).toBeGreaterThan(4);
    // 20,000 bytes of originals are no more pieces than this, with the one that is read.
    expect(converter.most()).toBeLessThanOrEqual(1 + 20_000 / 544);
  });

  it('says which file and tensor has weights that are no numbers, and keeps nothing', async () => {
    for (const [bad, formats] of [[NaN, 'F32'], [Infinity, 'BF16'], [-Infinity, 'F16']] as const) {
      const model = convertibleModel({ gate: 'Q8_0', up: formats, down: 'Q8_0' });
      const slice = model.plan.experts[0].up[1];
      const bytes = model.bytes.get(`fake/${slice.source.name}`)!;
      const one = encodeRows(formats, Float32Array.of(bad), 1, 1);
      bytes.set(one, slice.byteOffset + 100 * one.byteLength);
      const store = createMemoryStore();
      const failing = importModel(optionsFor(model, store, 'w2', {}, lateConverter()));
      await expect(failing).rejects.toThrow(ModelFormatError);
      await expect(failing).rejects.toThrow(/^weights-1\.bin: blk\.1\.up has weights that are NaN or infinite, so a model/);
      expect(await store.listModels()).toEqual([]);
    }
  });

  it('gives the converter’s own sentence where it fails, and goes on with the same files', async () => {
    const model = convertibleModel();
    const store = createMemoryStore();
    let left = 5;
    const failing: ExpertConverter = {
      ...lateConverter(),
      convert: async ({ run, targets }) => {
        if (left-- === 0) throw new Error('A worker ran out of memory.');
        return convertRun(run, targets);
      },
    };
    await expect(importModel(optionsFor(model, store, 'w3', {}, failing))).rejects.toThrow('A worker ran out of memory.');
    expect(await createLibrary(store, () => 0).list()).toMatchObject([{ state: 'partial', conversion: 'w3' }]);
    await importModel(optionsFor(model, store, 'w3'));
    await expectWhole(store, model, 'w3');
  });
});

describe('a damaged converted model', () => {
  async function stored(): Promise<{ store: FileStore; manifest: Manifest }> {
    const store = createMemoryStore(4096);
    return { store, manifest: await importModel(optionsFor(convertibleModel(), store, 'w2+fp4')) };
  }

  it('is found by its checksums, in either tier', async () => {
    const { store, manifest } = await stored();
    const library = createLibrary(store, () => 0);
    for (const [name, at, message] of [
      ['experts.pack', manifest.expertStrideByteLength, /expert 1 of layer 1 has changed/],
      ['experts_fp4.pack', 2 * manifest.tier!.strideByteLength + 5, /the second tier of expert 2 of layer 1 has changed/],
    ] as const) {
      const file = await store.open(ID, name, 'write');
      const [byte] = await file.read(at, 1);
      await file.write(at, Uint8Array.of(byte ^ 1));
      await expect(library.verify(ID)).rejects.toThrow(message);
      await file.write(at, Uint8Array.of(byte));
      await file.close();
    }
    await library.verify(ID);
    await store.removeFile(ID, 'experts_fp4.pack');
    await expect(library.open(ID)).rejects.toThrow(/has no experts_fp4\.pack; delete it/);
  });

  it.each<[(string | number)[], unknown]>([
    [['conversion'], 'w9'], [['conversion'], null], [['tier'], 5], [['tier', 'layers'], []], [['tier', 'strideByteLength'], 4096],
    [['tier', 'strideByteLength'], 2 ** 52], [['tier', 'layers', 0, 'layer'], 0], [['tier', 'layers', 0, 'up'], null],
    [['tier', 'layers', 0, 'up', 'format'], 'W2'],
  ])('is refused where its manifest says %j = %j', async (path, value) => {
    const { manifest } = await stored();
    expect(() => manifestFromJson(withValue(manifest, path, value))).toThrow(/^The stored model is damaged \(.*\); delete it/);
  });

  it.each<[(string | number)[], unknown]>([
    [['formatVersion'], 2], [['conversion'], 'w2'], [['layers'], []], [['layers', 0, 'layer'], 7], [['tierLayers'], 'x'],
    [['layers', 0, 'gate'], null], [['layers', 0, 'gate', 'cosine'], [1, 1]], [['layers', 0, 'gate', 'cosine', 1], null],
    [['layers', 0, 'down', 'from'], 'Q9_Z'], [['layers', 0, 'down', 'signBias'], '0'],
  ])('is refused where its report says %j = %j', async (path, value) => {
    const { store } = await stored();
    const library = createLibrary(store, () => 0);
    const report = await library.conversionReport(ID);
    await writeRecord(await createCrc32(), store, ID, 'report.json', withValue(report, path, value));
    await expect(library.conversionReport(ID)).rejects.toThrow(/^The stored model is damaged \(report\.json.*\); delete it/);
  });

  /** Sets the value at a path of keys in a deep copy. */
  function withValue(json: unknown, path: readonly (string | number)[], value: unknown): unknown {
    const copy = JSON.parse(JSON.stringify(json)) as Record<string | number, unknown>;
    let at = copy;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
    at[path.at(-1)!] = value;
    return copy;
  }
});

describe('what can be converted', () => {
  const refusal = (formats: Partial<ExpertFormats>, conversion: ExpertConversion) => (
    conversionRefusal(convertibleModel({ gate: 'W2', up: 'W2', down: 'W2', ...formats }).plan, conversion));

  it('is what has more bits than it would get', () => {
    expect(EXPERT_CONVERSIONS.map((conversion) => refusal({ up: 'Q8_0', gate: 'BF16', down: 'MXFP4' }, conversion)))
      .toEqual([null, null, null, null]);
    expect(refusal({}, 'keep')).toBeNull();
    expect(refusal({}, 'w2')).toBe('its experts have 2.25 bits a weight already');
    expect(refusal({}, 'w3')).toBe('its experts have 2.25 bits a weight already');
    expect(refusal({ up: 'MXFP4' }, 'w2')).toBeNull();
    expect(refusal({ up: 'MXFP4' }, 'w2+fp4')).toBe('its experts have 2.92 bits a weight, fewer than the second tier\'s 4.25');
    expect(refusal({ gate: 'MXFP4', up: 'MXFP4', down: 'MXFP4' }, 'w2+fp4')).toBeNull();
  });

  it('is a model with experts, and rows of whole blocks', () => {
    const { plan } = convertibleModel({ gate: 'F32', up: 'F32', down: 'F32' });
    expect(conversionRefusal({ ...plan, experts: [] }, 'w2')).toBe('it has no experts');
    const source = bytesSource('odd.bin', new Uint8Array(40 * 8 * 4));
    const odd = { format: 'F32', rows: 8, cols: 40, source, byteOffset: 0, byteLength: 40 * 8 * 4, tensor: 'odd' } as const;
    const experts = [{ layer: 0, gate: [odd, odd, odd], up: [odd, odd, odd], down: [odd, odd, odd] }];
    expect(conversionRefusal({ ...plan, experts }, 'w2')).toBe('a row of its experts has 40 weights, no multiple of 32');
    expect(() => convertPlan({ ...plan, experts }, 'w3', createInThreadConverter())).toThrow(
      'The experts of Fake can\'t be converted: a row of its experts has 40 weights, no multiple of 32.');
  });

  it('has weights that the target can hold', async () => {
    const model = convertibleModel({ gate: 'MXFP4', up: 'MXFP4', down: 'MXFP4' });
    const slice = model.plan.experts[0].down[0];
    model.bytes.get(`fake/${slice.source.name}`)![slice.byteOffset] = 253; // 3 scales are f32 values, W2's 4 are not
    model.bytes.get(`fake/${slice.source.name}`)!.fill(0x55, slice.byteOffset + 1, slice.byteOffset + 17);
    expect(decodeRows('MXFP4', await slice.source.read(slice.byteOffset, 17), 1, 32).every(Number.isFinite)).toBe(true);
    await expect(importModel(optionsFor(model, createMemoryStore(), 'w2'))).rejects.toThrow(
      /^weights-2\.bin: blk\.1\.down\.0 has weights that are too large for W2; import it as it is$/);
  });
});
