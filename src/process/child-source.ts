import type { OutputListener, ProcessExit, TerminalSize } from "./process-host.ts";

/** A child as the system gave it to us, before anything is known of groups and grace. */
export interface ChildSource {
  readonly pid: number;
  /** Returns how many bytes wait to be read, as far as that can be told. */
  write(bytes: Uint8Array): number;
  endInput(): void;
  resize(size: TerminalSize): void;
  pause(): void;
  resume(): void;
  /** Forgets the output that has not been read. */
  discard(): void;
}

export interface ChildListener {
  readonly onOutput: OutputListener;
  readonly onExit: (exit: ProcessExit) => void;
  /** Nothing will be read any more. May come before or after the exit. */
  readonly onEnd: () => void;
}
