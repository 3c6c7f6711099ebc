/**
 * Parses the frame headers of a zstd stream without decompressing it, so that a frame that would need too much memory
 * is rejected first: a decoder allocates whatever window a header requests.
 */

export class UnpackError extends Error {}

export interface FrameGuard {
  /** Throws an `UnpackError` if a frame must not be decompressed. */
  take(chunk: Uint8Array): void;
  /** Throws an `UnpackError` if the stream ends within a frame. */
  end(): void;
}

const FRAME = 0xfd2fb528;
/** The magic number of a skippable frame without its last four bits, which are arbitrary. */
const SKIPPABLE = 0x184d2a5;
const BLOCK_HEADER_BYTES = 3;
const SKIPPABLE_HEADER_BYTES = 8;
/** The bytes that determine the length of the rest of a frame header. */
const FIRST_BYTES = 5;
const CHECKSUM_BYTES = 4;
const BLOCK_KINDS = { runLength: 1, reserved: 3 } as const;

export function createFrameGuard(maxWindowBytes: number): FrameGuard {
  let header: number[] = [];
  /** Bytes of content to skip before the next header. */
  let skip = 0;
  let frame: Frame | null = null;

  function takeHeader(): void {
    if (frame !== null) return takeBlock(frame);
    if (isSkippable(header)) {
      skip = littleEndian(header, 4, 4);
      return;
    }
    frame = readFrame(header);
    if (frame.window > maxWindowBytes)
      throw new UnpackError(
        `it needs a window of ${frame.window} bytes, and ${maxWindowBytes} are allowed; unpack it with "zstd -d"`,
      );
  }

  function takeBlock({ hasChecksum }: Frame): void {
    const bits = littleEndian(header, 0, 3);
    const kind = (bits >> 1) & 3;
    if (kind === BLOCK_KINDS.reserved) throw new UnpackError("it is damaged");
    skip = kind === BLOCK_KINDS.runLength ? 1 : bits >> 3;
    if ((bits & 1) === 0) return;
    if (hasChecksum) skip += CHECKSUM_BYTES;
    frame = null;
  }

  return {
    take(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const passed = Math.min(skip, chunk.length - at);
        skip -= passed;
        at += passed;
        while (skip === 0 && at < chunk.length) {
          header.push(chunk[at] ?? 0);
          at += 1;
          if (header.length < headerBytes(header, frame !== null)) continue;
          takeHeader();
          header = [];
        }
      }
    },
    end() {
      if (frame !== null || skip > 0 || header.length > 0) throw new UnpackError("it was cut off");
    },
  };
}

interface Frame {
  readonly window: number;
  readonly hasChecksum: boolean;
}

function headerBytes(header: readonly number[], isInFrame: boolean): number {
  if (isInFrame) return BLOCK_HEADER_BYTES;
  if (header.length < FIRST_BYTES) return FIRST_BYTES;
  if (isSkippable(header)) return SKIPPABLE_HEADER_BYTES;
  if (littleEndian(header, 0, 4) !== FRAME) throw new UnpackError("it is not a zstd file");
  const { windowBytes, dictionaryBytes, sizeBytes } = partsOf(header[4] ?? 0);
  return FIRST_BYTES + windowBytes + dictionaryBytes + sizeBytes;
}

function isSkippable(header: readonly number[]): boolean {
  return Math.floor(littleEndian(header, 0, 4) / 16) === SKIPPABLE;
}

/** The lengths of the fields after the descriptor of a frame. */
function partsOf(descriptor: number) {
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  return {
    isSingle,
    windowBytes: isSingle ? 0 : 1,
    dictionaryBytes: [0, 1, 2, 4][descriptor & 3] ?? 0,
    sizeBytes: sizeFlag === 0 ? Number(isSingle) : 2 ** sizeFlag,
    hasChecksum: (descriptor & 4) !== 0,
  };
}

function readFrame(header: readonly number[]): Frame {
  const parts = partsOf(header[4] ?? 0);
  const afterWindow = FIRST_BYTES + parts.windowBytes;
  if (littleEndian(header, afterWindow, parts.dictionaryBytes) !== 0)
    throw new UnpackError("it needs a dictionary, which is not available");
  const { hasChecksum } = parts;
  if (!parts.isSingle) return { window: windowOf(header[FIRST_BYTES] ?? 0), hasChecksum };
  const size = littleEndian(header, afterWindow + parts.dictionaryBytes, parts.sizeBytes);
  return { window: parts.sizeBytes === 2 ? size + 256 : size, hasChecksum };
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function littleEndian(bytes: readonly number[], from: number, length: number): number {
  let value = 0;
  for (let at = length - 1; at >= 0; at -= 1) value = value * 256 + (bytes[from + at] ?? 0);
  return value;
}
