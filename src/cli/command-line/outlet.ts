/** Writes what may be long: waits for whoever reads it, and tells when nobody does any more. */
export interface Outlet {
  /** False once nobody reads. */
  write(text: string): Promise<boolean>;
}

/** A stream such as stdout. */
export interface Writable {
  readonly writable: boolean;
  write(text: string): boolean;
  once(event: "drain" | "close" | "error", listener: () => void): unknown;
  off(event: "drain" | "close" | "error", listener: () => void): unknown;
}

const ENDS = ["drain", "close", "error"] as const;

export function createOutlet(stream: Writable): Outlet {
  let isClosed = false;
  // A stream that nobody reads may go on to call itself writable.
  stream.once("error", () => {
    isClosed = true;
  });
  return {
    async write(text) {
      if (isClosed || !stream.writable) return false;
      if (!stream.write(text)) await settled(stream);
      return !isClosed;
    },
  };
}

function settled(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      for (const event of ENDS) stream.off(event, settle);
      resolve();
    };
    for (const event of ENDS) stream.once(event, settle);
  });
}
