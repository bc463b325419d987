/** Which tokens of a text are run together, and which of them are scored. */

export interface WindowOptions {
  /** Tokens run together: nothing is predicted from further back. */
  readonly contextLength: number;
  /** A window begins every so many tokens; at most contextLength. */
  readonly stride: number;
  /**
   * 'new': every token that no earlier window has scored. With a stride of contextLength the windows don't overlap
   * and early tokens see little context; with half of it all but the first window's see at least half a window, at
   * twice the work.
   * 'second-half': what follows the middle of each window, whole windows only, as llama.cpp's perplexity does (there
   * the stride is contextLength): its published figures compare with these.
   */
  readonly scored: 'new' | 'second-half';
  /** Put in place of each window's first token, for models that expect it there (as llama.cpp does); null leaves it. */
  readonly bosToken: number | null;
}

/** The prediction in row r of a window is of its token r + 1, so a window's first token is never scored. */
export interface EvaluationWindow {
  readonly index: number;
  readonly tokens: readonly number[];
  /** Rows [firstRow, tokens.length − 1) are scored. */
  readonly firstRow: number;
  /** How many predictions the windows before score. */
  readonly scoredBefore: number;
}

/**
 * @throws RangeError for options out of range, and where no token of the text would be scored
 */
export function evaluationWindows(tokens: readonly number[], options: WindowOptions): EvaluationWindow[] {
  const { contextLength, stride, scored } = options;
  if (!(Number.isInteger(contextLength) && contextLength >= 2)) {
    throw new RangeError(`a window takes at least 2 tokens, not ${contextLength}`);
  }
  if (!(Number.isInteger(stride) && stride >= 1 && stride <= contextLength)) {
    throw new RangeError(`the stride is from 1 to the window's ${contextLength} tokens, not ${stride}`);
  }
  const windows: EvaluationWindow[] = [];
  let scoredBefore = 0;
  /** First token of the text that no window has run. */
  let covered = 0;
  for (let begin = 0; begin < tokens.length && covered < tokens.length; begin += stride) {
    const end = Math.min(tokens.length, begin + contextLength);
    const length = end - begin;
    if (scored === 'second-half' && length < contextLength) break;
    const firstRow = scored === 'second-half' ? contextLength >> 1 : Math.max(0, covered - begin - 1);
    covered = end;
    if (length - 1 - firstRow <= 0) continue;
    windows.push({ index: windows.length, tokens: windowTokens(tokens, begin, end, options), firstRow, scoredBefore });
    scoredBefore += length - 1 - firstRow;
  }
  if (scoredBefore === 0) {
    throw new RangeError(scored === 'second-half'
      ? `the text has ${tokens.length} tokens, less than one window of ${contextLength}`
      : `the text has ${tokens.length} tokens: at least 2 are needed`);
  }
  return windows;
}

/** Predictions that these windows score. */
export function scoredTokens(windows: readonly EvaluationWindow[]): number {
  const last = windows.at(-1);
  return last === undefined ? 0 : last.scoredBefore + last.tokens.length - 1 - last.firstRow;
}

function windowTokens(tokens: readonly number[], begin: number, end: number, { bosToken }: WindowOptions): number[] {
  const part = tokens.slice(begin, end);
  if (bosToken !== null) part[0] = bosToken;
  return part;
}
