import type { Clock } from "./clock.ts";

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const BYTES_PER_ID = 10;
/** Random bytes are drawn for many ids at once, because the call costs more than formatting an id. */
const POOLED_IDS = 128;

/**
 * A source of UUIDv7 strings that sort in creation order, also within one millisecond
 * and when the clock steps back: the 12 bits behind the timestamp count up and carry into it.
 */
export function createUuidSource(clock: Clock): () => string {
  const pool = new Uint8Array(BYTES_PER_ID * POOLED_IDS);
  let at = pool.length;
  let lastMs = 0;
  let counter = 0;

  function refill(): void {
    // Loaded on first use: it takes several milliseconds, which a server start without a thread need not spend.
    process.getBuiltinModule("node:crypto").randomFillSync(pool);
    at = 0;
  }

  return () => {
    if (at === pool.length) refill();
    const byte = (index: number) => pool[at + index] ?? 0;
    const now = clock.now();
    if (now > lastMs) {
      lastMs = now;
      counter = ((byte(0) & 0x03) << 8) | byte(1);
    } else if (++counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
    const time = lastMs.toString(16).padStart(12, "0");
    const sequence = counter.toString(16).padStart(3, "0");
    let tail = `${HEX[0x80 | (byte(2) & 0x3f)]}${HEX[byte(3)]}-`;
    for (let index = 4; index < BYTES_PER_ID; index += 1) tail += HEX[byte(index)];
    at += BYTES_PER_ID;
    return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${tail}`;
  };
}
