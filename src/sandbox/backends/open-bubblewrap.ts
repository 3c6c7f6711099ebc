/** Locates bubblewrap, writes its seccomp filters and probes what it can do on this machine. */
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
  /** Whether a sandboxed command may have written a file. */
  readonly isSandboxWritable: (path: string) => boolean;
  readonly architecture: string;
  readonly folder: string;
  readonly hidden: () => readonly string[];
  readonly pid: number;
}

export type OpenedBubblewrap =
  | { readonly ok: true; readonly parts: BubblewrapParts }
  | { readonly ok: false; readonly reason: string };

/** The highest descriptor that every shell can redirect. */
const FILTER_DESCRIPTOR = 9;

export async function openBubblewrap(deps: BubblewrapDeps): Promise<OpenedBubblewrap> {
  const architecture = architectureOf(deps.architecture);
  if (architecture === null) {
    return { ok: false, reason: `there is no system call filter for ${deps.architecture}` };
  }
  let folder: string;
  const filterFile = ({ network }: FilterOptions) =>
    join(folder, `calls-${deps.architecture}-${network ? "with" : "without"}-network.bpf`);
  let masks: Masks;
  try {
    mkdirSync(deps.folder, { recursive: true, mode: 0o700 });
    folder = realpathSync(deps.folder);
    for (const network of [false, true])
      writeIfChanged(filterFile({ network }), seccompFilter(architecture, { network }), deps.pid);
    masks = createMasks(join(folder, "masks"), deps.pid);
  } catch (error) {
    return { ok: false, reason: `${deps.folder} cannot be used: ${messageOf(error)}` };
  }
  const launch: Launch = (program, call, options) => [
    // A shell is needed to open a file as a numbered descriptor of the program that it execs.
    "/bin/sh",
    "-c",
    `exec "$@" ${FILTER_DESCRIPTOR}<"$0"`,
    filterFile(options),
    program,
    ...call(FILTER_DESCRIPTOR),
  ];
  const found = await findBubblewrap({ env: deps.env, isSandboxWritable: deps.isSandboxWritable, launch });
  if (found.kind === "unusable") return { ok: false, reason: found.reason };
  const { program, newProc } = found;
  return { ok: true, parts: { program, newProc, launch, masks, folder, hidden: deps.hidden } };
}

/** Replaces the file atomically, and only if it differs, because other servers may be reading it. */
function writeIfChanged(file: string, content: Buffer, pid: number): void {
  const existing = readRegularFileSync(file, { maxBytes: content.length });
  if (existing.kind === "read" && existing.bytes.equals(content)) return;
  const draft = `${file}.${pid}`;
  writeFileSync(draft, content, { mode: 0o400 });
  renameSync(draft, file);
}

export type Bubblewrap =
  | { readonly kind: "found"; readonly program: string; readonly newProc: boolean }
  | { readonly kind: "unusable"; readonly reason: string; readonly advice: string };

export interface BubblewrapSearch {
  readonly env: Environment;
  /** A program at such a path is skipped: the model may have written it. */
  readonly isSandboxWritable: (path: string) => boolean;
  /** Adds the seccomp filter, so that the probe covers it as well. */
  readonly launch?: Launch;
}

export async function findBubblewrap(search: BubblewrapSearch): Promise<Bubblewrap> {
  const { program, untrusted } = locateProgram(search);
  if (program === null && untrusted !== null) {
    const reason = `${untrusted} lies where sandboxed commands can write, and is not trusted`;
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
  const failure = await tryBubblewrap(program, true, search);
  if (failure === null) return { kind: "found", program, newProc: true };
  // Containers often forbid only a new /proc. The old one shows no process of the new namespace.
  if ((await tryBubblewrap(program, false, search)) === null)
    return { kind: "found", program, newProc: false };
  return {
    kind: "unusable",
    reason: `bubblewrap cannot make a sandbox here: ${failure}`,
    advice:
      "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, the AppArmor profile of bwrap, or the options of the container or unit that docs/operating.md names).",
  };
}

interface LocatedProgram {
  readonly program: string | null;
  /** The first program that was skipped as untrusted. */
  readonly untrusted: string | null;
}

function locateProgram({ env, isSandboxWritable }: BubblewrapSearch): LocatedProgram {
  let untrusted: string | null = null;
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    try {
      const program = realpathSync(join(folder, "bwrap"));
      accessSync(program, constants.X_OK);
      if (!isSandboxWritable(program)) return { program, untrusted };
      untrusted ??= program;
    } catch {
      // Try the next folder.
    }
  }
  return { program: null, untrusted };
}

/** Null, or the error of the probe. */
async function tryBubblewrap(
  program: string,
  newProc: boolean,
  { env, launch }: BubblewrapSearch,
): Promise<string | null> {
  const call = (filterDescriptor: number | null) =>
    bubblewrapArguments({ mounts: [], network: false, newProc, newSession: true, filterDescriptor });
  const argv = launch === undefined ? [program, ...call(null)] : launch(program, call, { network: false });
  const outcome = await runTrial([...argv, "/bin/sh", "-c", ":"], env);
  return outcome.ok ? null : outcome.reason;
}
