/** Puts f16 bits where an IQ1_M block has its scale: in the upper nibbles of the four 16-bit numbers at its end. */
export function writeIq1mScale(blocks: Uint8Array, blockByteOffset: number, bits: number): void {
  for (let i = 0; i < 4; i++) {
    const at = blockByteOffset + 49 + 2 * i;
    blocks[at] = (blocks[at] & 15) | (((bits >> (4 * i)) & 15) << 4);
  }
}
