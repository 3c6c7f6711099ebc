/** Finds bubblewrap and finds out what it may do here. */
import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { runTrial } from "../run-trial.ts";
import { bubblewrapArguments } from "./arguments.ts";
import type { FilterOptions } from "./call-filter.ts";

export type Bubblewrap =
  | { readonly kind: "found"; readonly program: string; readonly ownProc: boolean }
  | { readonly kind: "unusable"; readonly reason: string; readonly advice: string };

export interface BubblewrapSearch {
  readonly env: Environment;
  /** A program at such a place is not taken: it may be the model's own. */
  readonly isWritten: (path: string) => boolean;
  /** Puts the filter of system calls around the call, to try that as well. */
  readonly launch?: Launch;
}

/** How bubblewrap is started: as it is, or with a descriptor open for it. */
export type Launch = (
  program: string,
  call: (filter: number | null) => string[],
  options: FilterOptions,
) => string[];

export async function findBubblewrap(search: BubblewrapSearch): Promise<Bubblewrap> {
  const { program, written } = locate(search);
  if (program === null && written !== null) {
    const reason = `${written} lies where sandboxed commands can write, and is not trusted`;
    return {
      kind: "unusable",
      reason,
      advice: "Work in a folder that does not contain the system's programs.",
    };
  }
  if (program === null) {
    const advice = "Install it, for example with `apt-get install bubblewrap`.";
    return { kind: "unusable", reason: "bubblewrap is not installed", advice };
  }
  const whole = await trial(program, true, search);
  if (whole === null) return { kind: "found", program, ownProc: true };
  // Containers often forbid a new /proc and allow the rest. The old one shows no process of the new namespace.
  if ((await trial(program, false, search)) === null) return { kind: "found", program, ownProc: false };
  return {
    kind: "unusable",
    reason: `bubblewrap cannot make a sandbox here: ${whole}`,
    advice:
      "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or the AppArmor profile of bwrap).",
  };
}

interface Located {
  readonly program: string | null;
  /** One that was passed over. */
  readonly written: string | null;
}

function locate({ env, isWritten }: BubblewrapSearch): Located {
  let written: string | null = null;
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    try {
      const program = realpathSync(join(folder, "bwrap"));
      accessSync(program, constants.X_OK);
      if (!isWritten(program)) return { program, written };
      written ??= program;
    } catch {
      // The next folder may have it.
    }
  }
  return { program: null, written };
}

/** What went wrong, or null. */
async function trial(
  program: string,
  ownProc: boolean,
  { env, launch }: BubblewrapSearch,
): Promise<string | null> {
  const call = (filterDescriptor: number | null) =>
    bubblewrapArguments({ mounts: [], network: false, ownProc, newSession: true, filterDescriptor });
  const argv = launch === undefined ? [program, ...call(null)] : launch(program, call, { network: false });
  const outcome = await runTrial([...argv, "/bin/sh", "-c", ":"], env);
  return outcome.ok ? null : outcome.reason;
}
