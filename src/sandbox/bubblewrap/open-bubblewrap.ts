/** Makes ready what bubblewrap needs on disk, and tries it. */
import { mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { messageOf } from "../../base/errors.ts";
import { readRegularFileSync } from "../../base/read-regular-file.ts";
import { architectureOf } from "./architecture.ts";
import type { BubblewrapParts } from "./bubblewrap-sandbox.ts";
import { callFilter, type FilterOptions } from "./call-filter.ts";
import { findBubblewrap, type Launch } from "./find-bubblewrap.ts";
import { createMasks, type Masks } from "./masks.ts";

export interface BubblewrapDeps {
  readonly env: Environment;
  /** Whether a file may be the work of a confined command. */
  readonly isWritten: (path: string) => boolean;
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
      keepFile(filterFile({ network }), callFilter(architecture, { network }), deps.pid);
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
  const found = await findBubblewrap({ env: deps.env, isWritten: deps.isWritten, launch });
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
