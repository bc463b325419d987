/** `hotset generate MODEL --prompt TEXT`: one answer, streamed or as JSON. */
import type { GenerateRequest } from '../../engine/types.ts';
import { openNodeModel } from '../node_model.ts';
import { flag, numberOption, textOption, UsageError } from './args.ts';
import type { Command } from './command.ts';
import { EXPERT_OPTIONS, expertOptionsOf, residencyText } from './expert_options.ts';
import {
  BACKEND_OPTION, backendNameOf, CONTEXT_OPTION, contextLengthOf, SAMPLING_OPTIONS, samplingOf, withEngine,
} from './model_options.ts';
import { RECORD_TRACE_OPTION, recorderOf, writeTrace } from './record_trace.ts';
import { timingsText } from './timings.ts';
import { TRACE_OPTIONS, traceFileOf } from './trace_file.ts';

export const generate: Command = {
  name: 'generate',
  summary: 'Continues a text, or answers it as a chat message with --chat.',
  positionals: ['MODEL'],
  options: {
    prompt: { type: 'string', value: 'TEXT', help: 'the text (needed)' },
    chat: { type: 'boolean', help: 'render the text as a user message with the model’s chat template' },
    'max-tokens': { type: 'string', value: 'N', help: 'stop after N tokens; default: at an end token or a full context' },
    json: { type: 'boolean', help: 'print text, token ids and timings as JSON when done' },
    ...SAMPLING_OPTIONS,
    ...CONTEXT_OPTION,
    ...EXPERT_OPTIONS,
    ...RECORD_TRACE_OPTION,
    ...TRACE_OPTIONS,
    ...BACKEND_OPTION,
  },
  async run(parsed, terminal, signal) {
    const backendName = backendNameOf(parsed);
    const experts = expertOptionsOf(parsed);
    const { approximations } = experts;
    const sampling = samplingOf(parsed);
    const contextLength = contextLengthOf(parsed);
    const maxTokens = numberOption(parsed, 'max-tokens', { min: 1, max: 2 ** 31 - 1, integer: true }, null);
    const json = flag(parsed, 'json');
    const traceFile = traceFileOf(parsed);
    const prompt = textOption(parsed, 'prompt');
    if (prompt === null) {
      throw new UsageError('--prompt is needed');
    }
    const input: GenerateRequest['input'] = flag(parsed, 'chat')
      ? { kind: 'chat', messages: [{ role: 'user', content: prompt }] }
      : { kind: 'text', text: prompt };

    const opened = await openNodeModel(parsed.positionals[0], experts.conversion);
    const recorder = recorderOf(parsed, opened.source.manifest);
    const start = performance.now();
    const run = { backendName, contextLength, experts, recorder, tracer: traceFile?.tracer };
    await withEngine(opened, run, terminal, signal, async (engine) => {
      const loadMs = performance.now() - start;
      traceFile?.start();
      const result = await engine.generate({ input, sampling, maxTokens }, (event) => {
        if (event.kind === 'token' && !json) {
          terminal.out(event.text);
        }
      }, signal);
      await traceFile?.write({ model: engine.info.modelName, backend: engine.info.backend.label });
      if (!json) {
        terminal.out('\n');
        terminal.note(`${timingsText(result)}${sampling.temperature === 0 ? '' : `, seed ${sampling.seed}`}\n`);
        if (engine.residency) terminal.note(`[${residencyText(engine.residency, approximations)}]\n`);
        return;
      }
      const { text, tokens, stopReason, promptTokens } = result;
      const { kind, adapter } = engine.info.backend;
      const timings = {
        loadMs, prefillMs: result.prefillMs, timeToFirstTokenMs: result.timeToFirstTokenMs, decodeMs: result.decodeMs,
        tokensPerSecond: result.tokensPerSecond,
      };
      terminal.out(`${JSON.stringify({
        text, tokens, stopReason, promptTokens, sampling, timings, backend: kind, adapter, approximations, residency: engine.residency,
      })}\n`);
    });
    await writeTrace(parsed, recorder);
  },
};
