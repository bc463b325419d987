/**
 * `npm run kit -- [--backend NAME] [--only models,formats]`: the reference models on this machine's back end, one row an
 * architecture and container, then every weight format in a model of random weights. The test suite checks the same on
 * a software adapter; this is for a machine with a graphics card and no test runner.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bytesSource } from '../../src/formats/byte_sources.ts';
import { openCheckpoint, type NamedSource } from '../../src/formats/open_checkpoint.ts';
import type { Backend, LoadedModel } from '../../src/compute/ops.ts';
import { NODE_BACKENDS, openNodeBackend, type NodeBackendName } from '../../src/hosts/node_backend.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import { continueGreedily, worstError, type ReferenceRun } from './checks.ts';
import { formatErrors } from './formats.ts';

const ROOT = fileURLToPath(new URL('../../test/vectors/models/', import.meta.url));
const ARCHITECTURES = ['qwen3_moe', 'qwen2_moe', 'olmoe', 'mixtral', 'granitemoe', 'granitemoeshared'];
/** Of the test suite as well: test/support/tolerances.ts. */
const TOLERANCE = 2e-3;

function named(path: string): NamedSource {
  return { path, source: bytesSource(path, new Uint8Array(readFileSync(ROOT + path))) };
}

async function loadKitModel(backend: Backend, files: readonly string[]): Promise<LoadedModel> {
  const source = createDirectSource(planModel(await openCheckpoint(files.map(named))));
  const { architecture, hyperparameters, dense } = source.manifest;
  return backend.load(source, buildGraph(architecture, hyperparameters, dense.map(({ name }) => name)), { contextLength: 128 });
}

async function checkModels(backend: Backend): Promise<boolean> {
  console.log('\nlargest relative L2 error of logits against Hugging Face transformers in float32\n');
  console.log('| model | container | prompt | token by token | greedy |\n|---|---|---|---|---|');
  let good = true;
  for (const architecture of ARCHITECTURES) {
    const run = JSON.parse(readFileSync(`${ROOT}${architecture}/reference.json`, 'utf8')) as ReferenceRun;
    const containers = {
      safetensors: [`${architecture}/config.json`, `${architecture}/model.safetensors`],
      gguf: [`${architecture}/${architecture}.gguf`],
    };
    for (const [container, files] of Object.entries(containers)) {
      const model = await loadKitModel(backend, files);
      const errors = [await worstError(model, run, Infinity), await worstError(model, run, 1)];
      const found = await continueGreedily(model, run.tokens.slice(0, run.greedy_prompt_len), run.greedy.length);
      const same = found.join() === run.greedy.join();
      console.log(`| ${architecture} | ${container} | ${errors.map((e) => e.toExponential(1)).join(' | ')} | ${same ? 'equal' : 'DIFFERS'} |`);
      good &&= same && errors.every((e) => e <= TOLERANCE);
      model.dispose();
    }
  }
  return good;
}

async function checkFormats(backend: Backend): Promise<boolean> {
  console.log('\nrelative L2 error of logits against the reference back end, random weights in each format\n');
  console.log('| format | prompt | token by token |\n|---|---|---|');
  let good = true;
  await formatErrors(backend, ({ format, prompt, decode }) => {
    console.log(`| ${format} | ${prompt.toExponential(1)} | ${decode.toExponential(1)} |`);
    good &&= prompt <= TOLERANCE && decode <= TOLERANCE;
  });
  return good;
}

const { values } = parseArgs({
  options: { backend: { type: 'string', default: 'webgpu' }, only: { type: 'string', default: 'models,formats' } },
});
if (!NODE_BACKENDS.includes(values.backend as NodeBackendName)) {
  console.error(`kit: --backend takes one of ${NODE_BACKENDS.join(', ')}`);
  process.exit(2);
}
const backend = await openNodeBackend(values.backend as NodeBackendName);
console.log(backend.info.label);
const parts = values.only.split(',');
const results = [
  !parts.includes('models') || await checkModels(backend), !parts.includes('formats') || await checkFormats(backend),
];
if (results.includes(false)) process.exitCode = 1;
backend.dispose();
