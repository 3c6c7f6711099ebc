import { execFile } from "node:child_process";
import type { Environment } from "../../base/environment.ts";

const TIMEOUT_MS = 5000;

export type TrialOutcome =
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly reason: string };

/** Runs a program to completion, to probe whether it works on this machine. */
export function runTrial([file = "", ...args]: readonly string[], env: Environment): Promise<TrialOutcome> {
  return new Promise((resolve) => {
    execFile(file, args, { env, timeout: TIMEOUT_MS }, (error, stdout, stderr) =>
      resolve(
        error === null
          ? { ok: true, output: stdout }
          : { ok: false, reason: (stderr || error.message).trim() },
      ),
    );
  });
}
