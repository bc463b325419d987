/** After a lost device: another one, and the model loaded on it again. */
import type { Backend, LoadedModel } from '../compute/ops.ts';
import { StorageError } from '../storage/file_store.ts';

/** The device was lost and could not be replaced. Its name, unlike its class, gets over a message port. */
export class DeviceLostError extends Error {
  override readonly name = 'DeviceLostError';
}

/** What `reopen` throws where there is no device in the place of the lost one: a sentence that also says what helps. */
export class NoDeviceError extends Error {}

/** A device that is lost as often during one answer would be lost again. */
const MAX_ATTEMPTS = 3;
/** How long after a failed step the news may come that the device was lost. */
const NEWS_MILLIS = 1000;
/** A browser's GPU process takes a while to come back; longer with each attempt. */
const PAUSE_MILLIS = 500;

type Pause = (millis: number) => Promise<void>;

const timerPause: Pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** Why something failed on a back end, where it was for its lost device: a sentence; null where the device is there. */
export async function lostReason(backend: Backend, failure: unknown, pause: Pause = timerPause): Promise<string | null> {
  // These say themselves what it was.
  if (failure instanceof StorageError || failure instanceof RangeError) return null;
  return Promise.race([backend.lost, pause(NEWS_MILLIS).then(() => null)]);
}

export interface RecoveryOptions {
  readonly backend: Backend;
  /** Gives a back end of the same kind in the place of the lost one. @throws NoDeviceError where there is none */
  readonly reopen: (lost: Backend) => Promise<Backend>;
  readonly load: (backend: Backend) => Promise<LoadedModel>;
  /** Stands in for a timer in tests. */
  readonly pause?: Pause;
}

export class DeviceRecovery {
  readonly #options: RecoveryOptions;
  readonly #pause: Pause;
  #backend: Backend;
  #attempts = 0;
  #onLost: (reason: string) => void = () => undefined;

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#backend = options.backend;
    this.#pause = options.pause ?? timerPause;
  }

  /** A new answer, which may lose the device as often again. */
  begin(onLost: (reason: string) => void): void {
    this.#attempts = 0;
    this.#onLost = onLost;
  }

  /**
   * The model on another device, where a lost device is why the step failed.
   * @throws the error itself where the device is still there; DeviceLostError after too many attempts
   */
  async recover(failure: unknown): Promise<LoadedModel> {
    for (let error = failure; ;) {
      const reason = await lostReason(this.#backend, error, this.#pause);
      if (reason === null) throw error;
      if (this.#attempts === MAX_ATTEMPTS) {
        throw new DeviceLostError(error instanceof NoDeviceError ? error.message
          : `${reason} It was tried ${MAX_ATTEMPTS} times: a smaller GPU budget for experts, a shorter context or a smaller model may help.`);
      }
      this.#attempts += 1;
      this.#onLost(reason);
      if (this.#attempts > 1) await this.#pause(PAUSE_MILLIS * (this.#attempts - 1));
      try {
        this.#backend = await this.#options.reopen(this.#backend);
        return await this.#options.load(this.#backend);
      } catch (again) {
        error = again;
      }
    }
  }
}
