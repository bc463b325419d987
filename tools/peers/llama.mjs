/**
 * Greedy text of a GGUF file by llama.cpp, to compare with ours:
 *   npm --prefix tools/peers ci && node tools/peers/llama.mjs MODEL.gguf --prompt "Hello" [--max-tokens 64] [--raw]
 * The prompt is wrapped in ChatML as the page does it; --raw takes it as it is. Prints JSON: prompt ids, ids, text.
 * (`npm run -s hotset -- generate MODEL --prompt … --greedy --json` is our side.)
 */
import { parseArgs } from 'node:util';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    prompt: { type: 'string' }, 'max-tokens': { type: 'string', default: '64' }, threads: { type: 'string', default: '1' },
    raw: { type: 'boolean', default: false },
  },
});
if (positionals.length !== 1 || values.prompt === undefined) {
  console.error('usage: node llama.mjs MODEL.gguf --prompt TEXT [--max-tokens N] [--threads N] [--raw]');
  process.exit(2);
}

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error });
const model = await llama.loadModel({ modelPath: positionals[0], gpuLayers: 0 });
const context = await model.createContext({ contextSize: 1024, threads: Number(values.threads) });
const sequence = context.getSequence();
const text = values.raw
  ? values.prompt
  : `<|im_start|>user\n${values.prompt}<|im_end|>\n<|im_start|>assistant\n`;
const prompt = model.tokenize(text, true);
const ids = [];
for await (const token of sequence.evaluate(prompt, { temperature: 0 })) {
  if (model.isEogToken(token)) break;
  ids.push(token);
  if (ids.length >= Number(values['max-tokens'])) break;
}
console.log(JSON.stringify({ engine: 'llama.cpp', prompt: [...prompt], ids, text: model.detokenize(ids) }));
await llama.dispose();
