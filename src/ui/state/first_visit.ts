import type { ModelSummary } from '../../hosts/api.ts';
import type { PreferenceStore } from './preferences.ts';
import type { StarterModel } from './starter.ts';

/** What a person has said to the demo model by cancelling or deleting it: kept, so that it doesn't come back by itself. */
const DECLINED = { key: 'demo', value: 'declined' } as const;

/**
 * The demo model (the first that the site lists) where the page should open it by itself: nothing is in the library but
 * perhaps an unfinished import of it, no model was ever open here, and nobody has declined it.
 */
export function demoToOpen(
  starters: readonly StarterModel[], models: readonly ModelSummary[], preferences: PreferenceStore,
): StarterModel | null {
  const demo = starters.at(0);
  if (demo === undefined || preferences.read(DECLINED.key) === DECLINED.value || preferences.read('model') !== undefined) return null;
  return models.every((model) => model.state === 'partial' && isOf(model, demo)) ? demo : null;
}

export function declineDemo(preferences: PreferenceStore): void {
  preferences.write(DECLINED.key, DECLINED.value);
}

/** Whether a model of the library came from this file of the site. */
export function isOf(model: ModelSummary, starter: StarterModel): boolean {
  return model.sourceFiles.length === 1 && model.sourceFiles[0] === starter.file;
}
