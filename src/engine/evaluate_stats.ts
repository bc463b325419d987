/** From logits to figures: what one model predicts of a text, and how far its predictions are from another's. */

/** A mean over tokens with its standard error, which takes the tokens as independent draws (as llama.cpp does). */
export interface Estimate {
  readonly mean: number;
  /** NaN for a single token. */
  readonly standardError: number;
}

export interface TextScore {
  readonly scoredTokens: number;
  /** Negative log-likelihood of a token, in nats. */
  readonly nll: Estimate;
  /** exp(mean NLL); its standard error by the delta method. */
  readonly perplexity: Estimate;
}

/** Of a model against a baseline; p is the baseline's distribution, q the model's. */
export interface Comparison {
  /** KL(p ‖ q) = Σ p · ln(p / q) over the whole vocabulary, in nats. */
  readonly kl: Estimate;
  readonly klMedian: number;
  readonly klPercentile99: number;
  /** Share of positions whose likeliest token is the same (the lowest id of equals, in both). */
  readonly topAgreement: Estimate;
  /** NLL of the model less that of the baseline, token by token: far surer than the difference of two perplexities. */
  readonly nllDifference: Estimate;
  /** q − p of the true token: its mean, and its root mean square. */
  readonly probabilityDifference: { readonly mean: number; readonly rms: number };
}

/** What is needed of a row of logits: its likeliest token, and ln Σ exp(logit). */
export interface RowSummary {
  readonly top: number;
  readonly logSum: number;
}

/** A logit is NaN, or +∞, or every one is −∞: no distribution follows from that. */
export class LogitsError extends Error {
  override readonly name = 'LogitsError';
}

/**
 * Log-sum-exp in f64, shifted by the largest logit, so that none overflows.
 * @param what whose logits they are, for the message: 'the model'
 * @throws LogitsError
 */
export function summarize(logits: Float32Array, what: string): RowSummary {
  let top = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[top]) top = i;
  const largest = logits[top];
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i] - largest);
  const logSum = largest + Math.log(sum);
  if (!Number.isFinite(logSum)) {
    throw new LogitsError(
      `${what} gave a logit that is no finite number: its weights are damaged or the device computed wrongly`);
  }
  return { top, logSum };
}

/** KL(p ‖ q) in nats of the softmaxes of two rows; a token that p never gives adds nothing. */
export function klDivergence(p: Float32Array, pLogSum: number, q: Float32Array, qLogSum: number): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) {
    const logP = p[i] - pLogSum;
    const probability = Math.exp(logP);
    if (probability > 0) sum += probability * (logP - (q[i] - qLogSum));
  }
  // Rounding may leave a true zero a hair below it.
  return Math.max(0, sum);
}

/** Sums for a mean and its standard error, by Welford's method: no cancellation over many tokens. */
export class MeanSums {
  #count = 0;
  #mean = 0;
  #squares = 0;

  add(value: number): void {
    this.#count++;
    const before = value - this.#mean;
    this.#mean += before / this.#count;
    this.#squares += before * (value - this.#mean);
  }

  get estimate(): Estimate {
    return { mean: this.#mean, standardError: Math.sqrt(this.#squares / (this.#count - 1) / this.#count) };
  }
}

/** The score of a text, token by token. */
export class ScoreSums {
  readonly #nll = new MeanSums();
  #tokens = 0;

  add(nll: number): void {
    this.#tokens++;
    this.#nll.add(nll);
  }

  get score(): TextScore {
    const nll = this.#nll.estimate;
    const perplexity = Math.exp(nll.mean);
    return {
      scoredTokens: this.#tokens, nll, perplexity: { mean: perplexity, standardError: perplexity * nll.standardError },
    };
  }
}

/** The comparison with a baseline, token by token. */
export class ComparisonSums {
  readonly #kl: Float64Array;
  readonly #klMean = new MeanSums();
  readonly #agreement = new MeanSums();
  readonly #nllDifference = new MeanSums();
  #tokens = 0;
  #difference = 0;
  #squaredDifference = 0;

  /** @param scoredTokens how many tokens will be added at most */
  constructor(scoredTokens: number) {
    this.#kl = new Float64Array(scoredTokens);
  }

  /** Adds a position: the baseline's row p, the model's row q, and the token that came. */
  add(p: Float32Array, pSummary: RowSummary, q: Float32Array, qSummary: RowSummary, token: number): void {
    const kl = klDivergence(p, pSummary.logSum, q, qSummary.logSum);
    const logP = p[token] - pSummary.logSum;
    const logQ = q[token] - qSummary.logSum;
    const difference = Math.exp(logQ) - Math.exp(logP);
    this.#kl[this.#tokens++] = kl;
    this.#klMean.add(kl);
    this.#agreement.add(pSummary.top === qSummary.top ? 1 : 0);
    this.#nllDifference.add(logP - logQ);
    this.#difference += difference;
    this.#squaredDifference += difference * difference;
  }

  get comparison(): Comparison {
    const sorted = this.#kl.slice(0, this.#tokens).sort();
    return {
      kl: this.#klMean.estimate,
      klMedian: quantile(sorted, 0.5),
      klPercentile99: quantile(sorted, 0.99),
      topAgreement: this.#agreement.estimate,
      nllDifference: this.#nllDifference.estimate,
      probabilityDifference: {
        mean: this.#difference / this.#tokens, rms: Math.sqrt(this.#squaredDifference / this.#tokens),
      },
    };
  }
}

/** The quantile of sorted values, linear between neighbours (type 7 of Hyndman and Fan). */
export function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(sorted.length - 1, below + 1);
  // Of equal neighbours nothing is computed: two infinite ones would give NaN.
  if (sorted[below] === sorted[above]) return sorted[below];
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}
