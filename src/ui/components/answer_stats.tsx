import type { JSX } from 'preact';
import type { StopReason } from '../../engine/types.ts';
import { answerApproximationText } from '../lib/approximations.ts';
import { formatCount, formatMillis, formatRate } from '../lib/format.ts';
import type { AnswerStats } from '../state/chat_store.ts';

const ENDINGS: Readonly<Record<StopReason, string | null>> = {
  end: null,
  max_tokens: 'cut at the token limit',
  context_full: 'cut: the context is full',
  stopped: 'stopped',
};

/** Speed of an answer: tokens a second, time to the first token, how many there were; and what changed it, if anything did. */
export function AnswerStatsLine({ stats }: { stats: AnswerStats }): JSX.Element {
  const parts = [
    ...(stats.tokensPerSecond === null ? [] : [`${formatRate(stats.tokensPerSecond)} tok/s`]),
    `first token ${formatMillis(stats.timeToFirstTokenMs)}`,
    `${formatCount(stats.tokens)} ${stats.tokens === 1 ? 'token' : 'tokens'}`,
  ];
  const ending = ENDINGS[stats.stopReason];
  const prompt = `Prompt: ${formatCount(stats.promptTokens)} tokens, ${formatCount(stats.reusedTokens)} of them from the cache · ${stats.modelName}`;
  const approximation = stats.approximation && answerApproximationText(stats.approximation.applied, stats.approximation.counts);
  return (
    <>
      <p class="answer-stats" title={prompt} data-testid="answer-stats" data-stop-reason={stats.stopReason}>
        {parts.join(' · ')}
        {ending !== null && <span class="ending"> · {ending}</span>}
      </p>
      {approximation && <p class="answer-stats approximate" data-testid="answer-approximation">{approximation}</p>}
    </>
  );
}
