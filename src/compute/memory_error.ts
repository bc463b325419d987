/** A device has no memory left for what a model needs: a host may try with less. */
export class DeviceMemoryError extends Error {
  override readonly name = 'DeviceMemoryError';
}
