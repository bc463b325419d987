/** The default policy of an open model, and its heat: read with the model, saved now and then. */
import type { ExpertKey, PoolShape, ResidencyPolicy } from '../compute/residency.ts';
import { heatFrom, hottestFirst, storedHeat } from '../experts/heat.ts';
import { NextUsePolicy } from '../experts/next_use.ts';
import type { ModelLibrary } from '../storage/library.ts';

/** An answer more often than this saves nothing new. */
const SAVE_INTERVAL_MILLIS = 60_000;

export interface ExpertHeatServices {
  readonly library: Pick<ModelLibrary, 'heat' | 'saveHeat'>;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class ExpertHeat {
  readonly #services: ExpertHeatServices;
  readonly #stored: unknown;
  #policy: NextUsePolicy | null = null;
  #shape: PoolShape | null = null;
  #savedAt = -Infinity;
  #saving: Promise<void> = Promise.resolve();

  private constructor(services: ExpertHeatServices, stored: unknown) {
    this.#services = services;
    this.#stored = stored;
  }

  static async open(services: ExpertHeatServices): Promise<ExpertHeat> {
    return new ExpertHeat(services, await services.library.heat(services.id));
  }

  /** A policy that begins with the heat that there is: of the pool before it, or of an earlier visit. */
  createPolicy(shape: PoolShape): ResidencyPolicy {
    const heat = this.#policy?.heat() ?? heatFrom(this.#stored, shape);
    this.#policy = new NextUsePolicy(shape, { heat });
    this.#shape = shape;
    return this.#policy;
  }

  /**
   * What a second tier begins with: the heat that an earlier visit saved, whatever was used since. A model that is loaded
   * again for a lost device, and reads its chat again, then moves the same copies as the first time.
   */
  tierHeat(shape: PoolShape): Float32Array | null {
    return heatFrom(this.#stored, shape);
  }

  /** Experts that a freshly filled pool doesn't hold, hottest first, then the others; empty without a pool. */
  readAheadOrder(): ExpertKey[] {
    const [policy, shape] = [this.#policy, this.#shape];
    if (policy === null || shape === null) return [];
    const layerIndexes = Array.from({ length: shape.expertLayerCount }, (_, index) => index);
    const keys = hottestFirst({ layerIndexes, slotCount: 0, slotByteLength: 0 }, shape, policy.heat());
    const held = new Set(shape.groups.flatMap((group) => policy.initial(group).slice(0, group.slotCount)));
    return [...keys.filter((key) => !held.has(key)), ...keys.filter((key) => held.has(key))];
  }

  /**
   * Saves the heat where there is any. Never rejects: without it the next start is slower, that is all.
   * @param always false: not again within a minute
   */
  save(always: boolean): Promise<void> {
    const now = this.#services.now();
    if (this.#policy !== null && (always || now - this.#savedAt >= SAVE_INTERVAL_MILLIS)) {
      this.#savedAt = now;
      this.#saving = this.#saving.then(() => this.#write());
    }
    return this.#saving;
  }

  async #write(): Promise<void> {
    if (this.#policy === null || this.#shape === null) return;
    try {
      await this.#services.library.saveHeat(this.#services.id, storedHeat(this.#policy.heat(), this.#shape));
    } catch (error) {
      console.warn(`The experts' heat was not saved: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
