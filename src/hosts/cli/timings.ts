import type { GenerateResult } from '../../engine/types.ts';

const STOP_TEXT: Readonly<Record<GenerateResult['stopReason'], string>> = {
  end: 'ended', max_tokens: 'reached --max-tokens', context_full: 'the context is full', stopped: 'stopped',
};

/** 'ended: 12 tokens, 8.1 tokens/s, first after 340 ms (24 prompt tokens, 10 reused)' */
export function timingsText(result: GenerateResult): string {
  const rate = result.tokensPerSecond === null ? '' : `, ${result.tokensPerSecond.toFixed(1)} tokens/s`;
  const reused = result.reusedTokens > 0 ? `, ${result.reusedTokens} reused` : '';
  return `[${STOP_TEXT[result.stopReason]}: ${result.tokens.length} tokens${rate}, first after `
    + `${result.timeToFirstTokenMs.toFixed(0)} ms (${result.promptTokens} prompt tokens${reused})]`;
}
