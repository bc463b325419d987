/** `--model`: reads the chats, then has the model answer them. */
import { readFile } from 'node:fs/promises';
import { openNodeBackend } from '../../../src/hosts/node_backend.ts';
import { chatsOf, printRealModel } from './real_model.ts';
import { numbersOf, wholeNumberOf } from './sweep_options.ts';
import { measureRingUploads } from './uploads.ts';
import { withDawn } from './with_dawn.ts';

export interface ModelArguments {
  readonly model: string;
  readonly prompts?: string;
  readonly chats?: string;
  readonly 'max-tokens': string;
  readonly pools: string;
}

/** @throws RangeError for wrong usage */
export async function answerChats(values: ModelArguments): Promise<void> {
  if (values.prompts === undefined) throw new RangeError('--model needs --prompts FILE, such as tools/residency/demo_chats.txt');
  const all = chatsOf(await readFile(values.prompts, 'utf8'));
  const chats = values.chats === undefined ? all : all.slice(0, wholeNumberOf('chats', values.chats, 2, 100_000));
  if (chats.length < 2) throw new RangeError(`${values.prompts} has ${chats.length} chats: one warms up, at least one is counted`);
  const options = {
    modelPath: values.model, chats, maxTokens: wholeNumberOf('max-tokens', values['max-tokens'], 2, 100_000),
    pools: numbersOf('pools', values.pools, 0.01, 100),
    uploadRate: (rowByteLength: number) => withDawn(async (device) => 1e9 * await measureRingUploads(device, rowByteLength)),
  };
  const backend = await openNodeBackend('webgpu');
  console.log(backend.info.label);
  await printRealModel(backend, options, console.log);
  backend.dispose();
}
