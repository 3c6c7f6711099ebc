/** Cuts a stream of bytes into lines of text, however the bytes are chunked; blank lines are left out. */
export interface LineSplitter {
  push(chunk: Buffer): void;
  /** The rest without a newline at the end of the stream is a line as well. */
  end(): void;
}

export interface LineSplitterOptions {
  /** Asked for every line, because the limit may come from a configuration that is read later. */
  readonly maxLineBytes: () => number;
  readonly onLine: (line: string) => void;
  /** A line that is too long or not UTF-8 is dropped as a whole, and the next one is read. */
  readonly onBadLine: (reason: string, fault: LineFault) => void;
}

export type LineFault = "tooLong" | "notUtf8";

const NEWLINE = 0x0a;

export function createLineSplitter({ maxLineBytes, onLine, onBadLine }: LineSplitterOptions): LineSplitter {
  // A fatal decoder tells bad bytes apart, and keeping the byte order mark leaves it to the reader of the line.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let held: Buffer[] = [];
  let heldBytes = 0;
  let dropping = false;

  function hold(part: Buffer): void {
    if (dropping || part.length === 0) return;
    const limit = maxLineBytes();
    if (heldBytes + part.length > limit) {
      held = [];
      heldBytes = 0;
      dropping = true;
      onBadLine(`line is longer than ${limit} bytes`, "tooLong");
      return;
    }
    held.push(part);
    heldBytes += part.length;
  }

  function emit(part: Buffer): void {
    hold(part);
    if (dropping) {
      dropping = false;
      return;
    }
    const [only] = held;
    const bytes = held.length === 1 && only !== undefined ? only : Buffer.concat(held, heldBytes);
    held = [];
    heldBytes = 0;
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
      hold(chunk.subarray(start));
    },
    end() {
      emit(Buffer.alloc(0));
    },
  };
}
