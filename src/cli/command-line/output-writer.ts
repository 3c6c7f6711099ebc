/** Writes long output with backpressure, and reports when the reader has closed the stream. */
export interface OutputWriter {
  /** Resolves to false once the stream is closed. */
  write(text: string): Promise<boolean>;
}

export interface WritableText {
  readonly writable: boolean;
  write(text: string): boolean;
  once(event: "drain" | "close" | "error", listener: () => void): unknown;
  off(event: "drain" | "close" | "error", listener: () => void): unknown;
}

const WAKING_EVENTS = ["drain", "close", "error"] as const;

export function createOutputWriter(stream: WritableText): OutputWriter {
  let isClosed = false;
  // A broken stream may still report itself as writable.
  stream.once("error", () => {
    isClosed = true;
  });
  return {
    async write(text) {
      if (isClosed || !stream.writable) return false;
      if (!stream.write(text)) await drained(stream);
      return !isClosed;
    },
  };
}

function drained(stream: WritableText): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      for (const event of WAKING_EVENTS) stream.off(event, finish);
      resolve();
    };
    for (const event of WAKING_EVENTS) stream.once(event, finish);
  });
}
