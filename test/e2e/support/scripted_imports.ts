/** Import previews and conversion reports of the scripted host, by words in a file's name and in the page's URL. */
import type { BackendInfo } from '../../../src/compute/ops.ts';
import type { DroppedFile, ImportChoice, ImportPreview } from '../../../src/hosts/api.ts';
import type {
  ConversionReport, ExpertConversion, LayerReport, MatrixReport,
} from '../../../src/storage/conversion_report.ts';

const GIGABYTE = 1e9;
const LAYERS = 48;
const EXPERTS = 128;
/** Qwen3 30B A3B in BF16: gate, up and down of 2048 × 768, and what is no expert. */
const EXPERT_WEIGHTS = LAYERS * EXPERTS * 3 * 2048 * 768;
const DENSE_BYTE_LENGTH = 3.08 * GIGABYTE;

function choice(conversion: ExpertConversion, bits: number, tierBits: number, scale: number): ImportChoice {
  const byteLength = (bitsOfOne: number): number => (EXPERT_WEIGHTS * scale * bitsOfOne) / 8;
  return {
    conversion, refusal: null, present: null, expertBitsPerWeight: bits, expertByteLength: byteLength(bits + tierBits),
    storageByteLength: byteLength(bits + tierBits) + DENSE_BYTE_LENGTH * scale, gpuByteLength: byteLength(bits) + DENSE_BYTE_LENGTH * scale,
  };
}

/**
 * Names: `broken` can't be read, `plain` can't be converted, `small` fits everywhere, `w2` has 2-bit experts already,
 * `resume` was cut off as w3, `known` is in the library as w2. Query: `smallgpu` 8 GB, `full` 2 GB of storage left.
 */
export function scriptedPreview(files: readonly DroppedFile[], query: URLSearchParams, backend: BackendInfo): ImportPreview {
  const [{ path }] = files;
  if (path.includes('broken')) {
    throw new Error(`${path} is cut off: its tensor blk.3.ffn_up_exps.weight ends at byte 4,096,000, the file at 1,200.`);
  }
  const scale = path.includes('small') ? 0.1 : 1;
  const choices = [
    choice('keep', 16, 0, scale), choice('w2', 2.25, 0, scale), choice('w2+fp4', 2.25, 4.25, scale), choice('w3', 3.25, 0, scale),
  ];
  const changed = choices.map((entry): ImportChoice => {
    const { conversion } = entry;
    if (conversion !== 'keep' && path.includes('plain')) return { ...entry, refusal: 'its rows of 100 weights are no multiple of 32' };
    if (conversion.startsWith('w2') && path.includes('w2')) return { ...entry, refusal: 'its experts have 2.25 bits a weight already' };
    if (conversion === 'w3' && path.includes('resume')) return { ...entry, present: 'partial' };
    if (conversion === 'w2' && path.includes('known')) return { ...entry, present: 'ready' };
    return entry;
  });
  return {
    name: 'Qwen3 30B A3B Instruct', architecture: 'qwen3moe', container: 'safetensors', expertFormats: ['BF16'],
    layerCount: LAYERS, expertCount: EXPERTS, expertUsedCount: 8, choices: changed,
    freeStorageByteLength: (query.has('full') ? 2 : 31.6) * GIGABYTE,
    gpu: {
      backend,
      provenByteLength: backend.kind === 'reference' ? null : (query.has('smallgpu') ? 8 : 24) * GIGABYTE,
      askedByteLength: choices[0].gpuByteLength,
    },
  };
}

/** Numbers as W2 and MXFP4 have them on Gaussian weights, with one expert that came out badly. */
export function scriptedReport(conversion: ExpertConversion): ConversionReport | null {
  if (conversion === 'keep') return null;
  const layers = (to: 'W2' | 'W3' | 'MXFP4', rms: number): LayerReport[] => Array.from({ length: LAYERS }, (_, layer) => {
    const matrix = (shift: number): MatrixReport => {
      const relativeRms = Array.from({ length: EXPERTS }, (_unused, expert) => rms + shift + 0.004 * Math.sin(expert + 3 * layer));
      if (layer === 17 && shift > 0) relativeRms[42] = rms + 0.2;
      return {
        from: 'BF16', to, relativeRms, cosine: relativeRms.map((value) => Math.sqrt(1 - value * value)),
        signBias: 0.0004 * Math.sin(layer) + 0.0002, meanError: -0.0003 * Math.cos(layer),
      };
    };
    return { layer, gate: matrix(0), up: matrix(-0.001), down: matrix(0.006) };
  });
  return {
    formatVersion: 1, conversion, layers: conversion === 'w3' ? layers('W3', 0.19) : layers('W2', 0.36),
    tierLayers: conversion === 'w2+fp4' ? layers('MXFP4', 0.11) : null,
  };
}
