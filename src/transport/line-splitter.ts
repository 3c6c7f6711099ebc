/** Splits a byte stream into text lines, independent of chunk boundaries; blank lines are skipped. */
export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Emits the last line even if it has no newline. */
  end(): void;
}

export interface LineSplitterOptions {
  /** Called for every line, because the limit may come from configuration that is loaded later. */
  readonly maxLineBytes: () => number;
  readonly onLine: (line: string) => void;
  /** Called for a line that is too long or not UTF-8, which is dropped as a whole. */
  readonly onBadLine: (reason: string, fault: BadLineKind) => void;
}

export type BadLineKind = "tooLong" | "notUtf8";

const NEWLINE = 0x0a;

export function createLineSplitter({ maxLineBytes, onLine, onBadLine }: LineSplitterOptions): LineSplitter {
  // Fatal, to detect invalid bytes; `ignoreBOM` keeps the byte order mark, which is left to the consumer.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let chunks: Buffer[] = [];
  let bufferedBytes = 0;
  let isDropping = false;

  function buffer(part: Buffer): void {
    if (isDropping || part.length === 0) return;
    const limit = maxLineBytes();
    if (bufferedBytes + part.length > limit) {
      chunks = [];
      bufferedBytes = 0;
      isDropping = true;
      onBadLine(`line is longer than ${limit} bytes`, "tooLong");
      return;
    }
    chunks.push(part);
    bufferedBytes += part.length;
  }

  function emit(part: Buffer): void {
    buffer(part);
    if (isDropping) {
      isDropping = false;
      return;
    }
    const [only] = chunks;
    const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bufferedBytes);
    chunks = [];
    bufferedBytes = 0;
    let line: string;
    try {
      line = decoder.decode(bytes);
    } catch {
      onBadLine("line is not valid UTF-8", "notUtf8");
      return;
    }
    if (line.trim() !== "") onLine(line);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        emit(chunk.subarray(start, at));
        start = at + 1;
      }
      buffer(chunk.subarray(start));
    },
    end() {
      emit(Buffer.alloc(0));
    },
  };
}
