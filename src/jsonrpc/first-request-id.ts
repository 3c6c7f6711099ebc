/** Half of the safe integers: counting up from any of them stays within what every client reads exactly. */
const BITS = 52;

/**
 * Where a process begins to number its requests. Drawn at random, so that an answer to a question of an earlier
 * process is no answer to another question of this one.
 */
export function createFirstRequestId(randomBytes: (size: number) => Buffer): number {
  return Number(BigInt.asUintN(BITS, randomBytes(8).readBigUInt64LE()));
}
