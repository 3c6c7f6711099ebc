import type { Clock } from "./clock.ts";

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * A source of UUIDv7 strings that sort in the order of their making, also within one millisecond
 * and when the clock steps back: the 12 bits behind the timestamp count up and carry into it.
 */
export function createUuidSource(clock: Clock): () => string {
  const bytes = new Uint8Array(10);
  let lastMs = 0;
  let counter = 0;
  let fill: ((target: Uint8Array) => unknown) | null = null;

  return () => {
    // Loading the module takes several milliseconds, which a start without a first thread need not spend.
    fill ??= process.getBuiltinModule("node:crypto").randomFillSync;
    fill(bytes);
    const now = clock.now();
    if (now > lastMs) {
      lastMs = now;
      counter = ((byteAt(bytes, 0) & 0x03) << 8) | byteAt(bytes, 1);
    } else if (++counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
    const time = lastMs.toString(16).padStart(12, "0");
    const sequence = counter.toString(16).padStart(3, "0");
    const variant = hex(0x80 | (byteAt(bytes, 2) & 0x3f));
    const tail = Array.from(bytes.subarray(4), hex).join("");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${variant}${hex(byteAt(bytes, 3))}-${tail}`;
  };
}

function hex(byte: number): string {
  return HEX[byte] ?? "00";
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
