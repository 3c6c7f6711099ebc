/** Why a command of the lifecycle has no answer: for programs, as one line of JSON on stderr and an exit code. */

/** A command line or an input that cannot be used. */
export const INVALID = 2;
/** Understood, and the harness has no way to say it. */
export const UNSUPPORTED = 3;

export class LifecycleFault extends Error {
  readonly kind: string;
  readonly detail: unknown;
  readonly exitCode: number;

  constructor(exitCode: number, kind: string, detail: unknown) {
    super(kind);
    this.exitCode = exitCode;
    this.kind = kind;
    this.detail = detail;
  }
}

export function writeReport(kind: string, detail: unknown): void {
  process.stderr.write(`${JSON.stringify({ kind, detail })}\n`);
}
