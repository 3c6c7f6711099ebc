/** Finds bubblewrap, makes ready what it needs on disk, and finds out by trying what it may do here. */
import { accessSync, constants, mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { messageOf } from "../../base/errors.ts";
import { readRegularFileSync } from "../../base/read-regular-file.ts";
import { type BubblewrapParts, bubblewrapArguments, type Launch } from "./bubblewrap.ts";
import { createMasks, type Masks } from "./masks.ts";
import { runTrial } from "./run-trial.ts";
import { architectureOf, type FilterOptions, seccompFilter } from "./seccomp-filter.ts";

export interface BubblewrapDeps {
  readonly env: Environment;
  /** Whether a file may be the work of a confined command. */
  readonly isSandboxWritable: (path: string) => boolean;
  readonly architecture: string;
  readonly folder: string;
  readonly hidden: () => readonly string[];
  readonly pid: number;
}

export type OpenedBubblewrap =
  | { readonly ok: true; readonly parts: BubblewrapParts }
  | { readonly ok: false; readonly reason: string };

/** The highest that every shell can name. */
const DESCRIPTOR = 9;

export async function openBubblewrap(deps: BubblewrapDeps): Promise<OpenedBubblewrap> {
  const architecture = architectureOf(deps.architecture);
  if (architecture === null) {
    return { ok: false, reason: `there is no filter of system calls for ${deps.architecture}` };
  }
  let folder: string;
  const filterFile = ({ network }: FilterOptions) =>
    join(folder, `calls-${deps.architecture}-${network ? "with" : "without"}-network.bpf`);
  let masks: Masks;
  try {
    mkdirSync(deps.folder, { recursive: true, mode: 0o700 });
    folder = realpathSync(deps.folder);
    for (const network of [false, true])
      keepFile(filterFile({ network }), seccompFilter(architecture, { network }), deps.pid);
    masks = createMasks(join(folder, "masks"), deps.pid);
  } catch (error) {
    return { ok: false, reason: `${deps.folder} cannot be used: ${messageOf(error)}` };
  }
  const launch: Launch = (program, call, options) => [
    // Only a shell opens a file as a numbered descriptor for the program that takes its place.
    "/bin/sh",
    "-c",
    `exec "$@" ${DESCRIPTOR}<"$0"`,
    filterFile(options),
    program,
    ...call(DESCRIPTOR),
  ];
  const found = await findBubblewrap({ env: deps.env, isSandboxWritable: deps.isSandboxWritable, launch });
  if (found.kind === "unusable") return { ok: false, reason: found.reason };
  const { program, ownProc } = found;
  return { ok: true, parts: { program, ownProc, launch, masks, folder, hidden: deps.hidden } };
}

/** Other servers may be reading the file: it is replaced as a whole, and only if it differs. */
function keepFile(file: string, content: Buffer, pid: number): void {
  const kept = readRegularFileSync(file, { maxBytes: content.length });
  if (kept.kind === "read" && kept.bytes.equals(content)) return;
  const draft = `${file}.${pid}`;
  writeFileSync(draft, content, { mode: 0o400 });
  renameSync(draft, file);
}

export type Bubblewrap =
  | { readonly kind: "found"; readonly program: string; readonly ownProc: boolean }
  | { readonly kind: "unusable"; readonly reason: string; readonly advice: string };

export interface BubblewrapSearch {
  readonly env: Environment;
  /** A program at such a place is not taken: it may be the model's own. */
  readonly isSandboxWritable: (path: string) => boolean;
  /** Puts the filter of system calls around the call, to try that as well. */
  readonly launch?: Launch;
}

export async function findBubblewrap(search: BubblewrapSearch): Promise<Bubblewrap> {
  const { program, written } = locateProgram(search);
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
      "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, the AppArmor profile of bwrap, or the options of the container or unit that docs/operating.md names).",
  };
}

interface LocatedProgram {
  readonly program: string | null;
  /** One that was passed over. */
  readonly written: string | null;
}

function locateProgram({ env, isSandboxWritable }: BubblewrapSearch): LocatedProgram {
  let written: string | null = null;
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    try {
      const program = realpathSync(join(folder, "bwrap"));
      accessSync(program, constants.X_OK);
      if (!isSandboxWritable(program)) return { program, written };
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
