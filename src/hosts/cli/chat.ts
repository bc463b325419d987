/** `hotset chat MODEL`: a conversation on the terminal. */
import { countersSince } from '../../compute/residency.ts';
import { createInterface } from 'node:readline';
import type { Engine } from '../../engine/engine.ts';
import type { ChatMessage } from '../../engine/types.ts';
import type { SamplingParams } from '../../compute/ops.ts';
import type { Approximations } from '../../experts/approximations.ts';
import { openNodeModel } from '../node_model.ts';
import { textOption } from './args.ts';
import type { Command, Terminal } from './command.ts';
import { EXPERT_OPTIONS, expertOptionsOf, residencyText } from './expert_options.ts';
import {
  BACKEND_OPTION, backendNameOf, CONTEXT_OPTION, contextLengthOf, SAMPLING_OPTIONS, samplingOf, withEngine,
} from './model_options.ts';
import { RECORD_TRACE_OPTION, recorderOf, writeTrace } from './record_trace.ts';
import { timingsText } from './timings.ts';

const HELP = '/exit ends the chat, /new starts over; Ctrl-C stops an answer.';

export const chat: Command = {
  name: 'chat',
  summary: `A conversation on the terminal; ${HELP}`,
  positionals: ['MODEL'],
  options: {
    system: { type: 'string', value: 'TEXT', help: 'system prompt' },
    ...SAMPLING_OPTIONS,
    ...CONTEXT_OPTION,
    ...EXPERT_OPTIONS,
    ...RECORD_TRACE_OPTION,
    ...BACKEND_OPTION,
  },
  async run(parsed, terminal, signal) {
    const backendName = backendNameOf(parsed);
    const experts = expertOptionsOf(parsed);
    const sampling = samplingOf(parsed);
    const contextLength = contextLengthOf(parsed);
    const system = textOption(parsed, 'system');
    const opened = await openNodeModel(parsed.positionals[0], experts.conversion);
    const recorder = recorderOf(parsed, opened.source.manifest);
    await withEngine(opened, { backendName, contextLength, experts, recorder }, terminal, signal, async (engine) => {
      const { modelName, chatTemplate, contextLength: tokens } = engine.info;
      terminal.note(`${modelName}, ${tokens} tokens of context. ${HELP}\n`);
      if (chatTemplate === 'chatml') {
        terminal.note('The model brings no chat template: ChatML is used.\n');
      }
      const opening: ChatMessage[] = system === null ? [] : [{ role: 'system', content: system }];
      await converse({ engine, approximations: experts.approximations, sampling }, terminal, opening, signal);
    });
    await writeTrace(parsed, recorder);
  },
};

interface Speaker {
  readonly engine: Engine;
  readonly approximations: Approximations;
  readonly sampling: SamplingParams;
}

/** Reads lines and streams answers until /exit, the end of the input or the signal. */
async function converse(
  speaker: Speaker, terminal: Terminal, opening: readonly ChatMessage[], signal: AbortSignal,
): Promise<void> {
  const interactive = terminal.input.isTTY === true;
  const lines = createInterface({ input: terminal.input, output: interactive ? process.stderr : undefined, prompt: '> ' });
  let answering: AbortController | null = null;
  lines.on('SIGINT', () => (answering === null ? lines.close() : answering.abort()));
  signal.addEventListener('abort', () => lines.close(), { once: true });
  let messages: ChatMessage[] = [...opening];
  const ask = () => interactive && lines.prompt();
  ask();
  for await (const line of lines) {
    const text = line.trim();
    if (text === '/exit' || signal.aborted) {
      break;
    }
    if (text === '/new') {
      messages = [...opening];
    } else if (text !== '') {
      answering = new AbortController();
      const question: ChatMessage = { role: 'user', content: text };
      const answer = await answerOnce(speaker, terminal, [...messages, question], AbortSignal.any([signal, answering.signal]));
      answering = null;
      if (answer !== null) {
        messages.push(question, { role: 'assistant', content: answer });
      }
    }
    ask();
  }
  lines.close();
}

/** The answer's text, null where the model refused the conversation (the reason is on stderr; the chat goes on). */
async function answerOnce(
  { engine, approximations, sampling }: Speaker, terminal: Terminal, messages: readonly ChatMessage[], signal: AbortSignal,
): Promise<string | null> {
  const before = engine.residency && { ...engine.residency };
  try {
    const result = await engine.generate({ input: { kind: 'chat', messages }, sampling, maxTokens: null }, (event) => {
      if (event.kind === 'token') {
        terminal.out(event.text);
      }
    }, signal);
    terminal.out('\n');
    terminal.note(`${timingsText(result)}\n`);
    if (before && engine.residency) terminal.note(`[${residencyText(countersSince(before, engine.residency), approximations)}]\n`);
    return result.text;
  } catch (error) {
    // A conversation that is too long, or that the template refuses: the person can go on with /new.
    terminal.note(`${error instanceof Error ? error.message : String(error)}\n`);
    return null;
  }
}
