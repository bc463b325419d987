/** Entry of a conversion worker: one of several that an import keeps busy. */
import { convertRun } from '../quant/convert.ts';
import type { ConvertReply, ConvertRequest } from './convert_protocol.ts';

/** TypeScript's DOM library has no worker-only interfaces. */
const scope = self as unknown as {
  addEventListener(type: 'message', listener: (event: MessageEvent<ConvertRequest>) => void): void;
  postMessage(reply: ConvertReply, transfer: Transferable[]): void;
};

scope.addEventListener('message', ({ data: { id, job } }) => {
  try {
    const results = convertRun(job.run, job.targets);
    scope.postMessage({ kind: 'done', id, results }, results.map(({ bytes }) => bytes.buffer as ArrayBuffer));
  } catch (error) {
    scope.postMessage({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) }, []);
  }
});
scope.postMessage({ kind: 'ready' }, []);
