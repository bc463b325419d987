import type { JSX } from 'preact';
import type { Comparison, Estimate } from '../../engine/evaluate_stats.ts';
import type { QualityResult } from '../../hosts/api.ts';
import { formatCount, formatMillis } from '../lib/format.ts';

/** The figures of one measurement, and of its comparison with the baseline. */
export function QualityResultView({ result }: { readonly result: QualityResult }): JSX.Element {
  const { evaluation, baselineName, notCompared, notKept } = result;
  const { comparison } = evaluation;
  return (
    <section class="quality-result" aria-label="Result" data-testid="quality-result">
      <dl>
        <Figure label="Perplexity" value={estimate(evaluation.perplexity, 3)} testId="quality-perplexity" />
        <Figure label="Scored" value={`${formatCount(evaluation.scoredTokens)} tokens in pieces of ${formatCount(result.contextLength)}, ${formatMillis(1000 * result.seconds)}`} />
        {comparison !== null && baselineName !== null && <ComparisonFigures comparison={comparison} baselineName={baselineName} />}
      </dl>
      {[notCompared, notKept].map((sentence) => sentence !== null && <p key={sentence} class="hint" data-testid="quality-note">{sentence}</p>)}
      <p class="hint">± is one standard error over the scored tokens.</p>
    </section>
  );
}

function ComparisonFigures({ comparison, baselineName }: { readonly comparison: Comparison; readonly baselineName: string }): JSX.Element {
  const { kl, klMedian, klPercentile99, topAgreement, nllDifference, probabilityDifference } = comparison;
  return (
    <>
      <Figure label="Compared with" value={baselineName} testId="quality-baseline" />
      <Figure label="KL divergence" value={`${estimate(kl, 4)} (median ${klMedian.toPrecision(2)}, 99 % below ${klPercentile99.toFixed(3)})`} testId="quality-kl" />
      <Figure label="Same likeliest token" value={`${estimate(topAgreement, 1, 100)} %`} testId="quality-agreement" />
      <Figure label="Loss a token" value={`${nllDifference.mean > 0 ? '+' : ''}${estimate(nllDifference, 4)} nats`} />
      <Figure label="True token’s probability" value={`off by ${(100 * probabilityDifference.rms).toFixed(1)} % (RMS), ${(100 * probabilityDifference.mean).toFixed(2)} % on average`} />
    </>
  );
}

function Figure({ label, value, testId }: { readonly label: string; readonly value: string; readonly testId?: string }): JSX.Element {
  return (
    <>
      <dt>{label}</dt>
      <dd data-testid={testId}>{value}</dd>
    </>
  );
}

/** '2.853 ± 0.041'; a single token has no standard error. */
function estimate({ mean, standardError }: Estimate, digits: number, factor = 1): string {
  const value = (factor * mean).toFixed(digits);
  return Number.isFinite(standardError) ? `${value} ± ${(factor * standardError).toFixed(digits)}` : value;
}
