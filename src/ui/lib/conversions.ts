/** What the page calls the ways to store a model's experts. */
import type { ExpertConversion } from '../../storage/conversion_report.ts';

/** For notes and tags: what the experts of a converted model are. */
export const CONVERSION_NAMES: Readonly<Record<Exclude<ExpertConversion, 'keep'>, string>> = {
  'w2': '2-bit experts',
  'w2+fp4': '2-bit experts + FP4 tier',
  'w3': '3-bit experts',
};

/** Formats shown by name in a list; the rest is counted. */
const SHOWN_FORMATS = 2;

/** ['Q4_K', 'Q6_K', 'F32'] → 'Q4_K, Q6_K +1'. */
export function formatNames(names: readonly string[]): string {
  const more = names.length - SHOWN_FORMATS;
  return names.slice(0, SHOWN_FORMATS).join(', ') + (more > 0 ? ` +${more}` : '');
}

export interface ChoiceWords {
  readonly title: string;
  /** One line: what this choice is good for, and what it costs. */
  readonly note: string;
}

/** @param expertFormats of the files, largest share first */
export function choiceWords(conversion: ExpertConversion, expertFormats: readonly string[]): ChoiceWords {
  switch (conversion) {
    case 'keep':
      return { title: `Keep as is (${formatNames(expertFormats)} experts)`, note: 'Nothing is lost, and the model can be exported again.' };
    case 'w2':
      return { title: CONVERSION_NAMES.w2, note: 'Smallest: four values for a weight, and one scale for 32 of them.' };
    case 'w2+fp4':
      return {
        title: CONVERSION_NAMES['w2+fp4'],
        note: 'Also stores a 4-bit copy of each expert. The settings can have the hottest experts use theirs.',
      };
    case 'w3':
      return { title: CONVERSION_NAMES.w3, note: 'Eight values for a weight: closer to the original than 2 bits.' };
  }
}
