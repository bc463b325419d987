/** What changes a model's answers, in words: for the label of the chat, and for what is told of an answer. */
import type { Approximations } from '../../experts/approximations.ts';
import type { ApproximationCounts } from '../../hosts/api.ts';
import { formatCount } from './format.ts';

/** 'Approximate: FP4 copies of 10 % of experts · unsure tokens again · up to 2 experts skipped'; null where nothing does. */
export function approximationsText({ tierShare, gate, missTolerance }: Approximations): string | null {
  return labelled([
    tierShare > 0 && copiesOf(tierShare),
    gate !== null && 'unsure tokens again',
    missTolerance > 0 && `up to ${counted(missTolerance, 'expert')} skipped`,
  ]);
}

/** The same of one answer, with how often each happened; an unsure token's experts count in both of its runs. */
export function answerApproximationText({ tierShare, gate, missTolerance }: Approximations, counts: ApproximationCounts): string | null {
  const { promotions, gatedSteps, toleratedMisses } = counts;
  return labelled([
    tierShare > 0 && `${copiesOf(tierShare)} (${formatCount(promotions)} moved in)`,
    gate !== null && `${counted(gatedSteps, 'unsure token')} again`,
    missTolerance > 0 && `${counted(toleratedMisses, 'expert')} skipped`,
  ]);
}

function labelled(parts: readonly (string | false)[]): string | null {
  const found = parts.filter((part) => part !== false);
  return found.length === 0 ? null : `Approximate: ${found.join(' · ')}`;
}

const copiesOf = (tierShare: number): string => `FP4 copies of ${Math.round(100 * tierShare)} % of experts`;

const counted = (count: number, thing: string): string => `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`;
