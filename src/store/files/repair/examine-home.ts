/** Checks all rollout files of a home, including faults that involve several files. */
import { readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { textMember } from "../../../base/json-members.ts";
import { type FoundRollout, walkRollouts } from "../rollout/find-rollouts.ts";
import { PACKING_SUFFIX } from "../rollout/pack-file.ts";
import { openRollout } from "../rollout/reader.ts";
import { plainFiles, type RolloutFiles } from "../rollout/rollout-files.ts";
import { archivedFolder, parseRolloutName, rolloutPath, sessionsFolder } from "../rollout/rollout-name.ts";
import {
  examineFile,
  examinePacked,
  type Fault,
  type FileExamination,
  IMPORT_SUFFIX,
  REPAIR_SUFFIX,
} from "./examine-file.ts";

export interface HomeExamination {
  readonly files: number;
  /** Only files with faults. */
  readonly faulty: readonly FileExamination[];
  /** Paths of files whose base is missing. */
  readonly detached: ReadonlySet<string>;
  /** Ids of files that are the base of others. */
  readonly bases: ReadonlySet<string>;
  /** Files with the id of another file that is kept. */
  readonly duplicates: readonly { readonly found: FoundRollout; readonly fault: Fault }[];
  /** Files whose name or folder is not that of a rollout. */
  readonly strays: readonly { readonly fault: Fault; readonly target: string | null }[];
}

export interface ExamineOptions {
  readonly home: string;
  readonly rollouts: RolloutFiles;
  readonly onFile?: (done: number, path: string) => void;
}

interface Known {
  readonly found: FoundRollout;
  readonly size: number;
}

export async function examineHome({
  home,
  rollouts,
  onFile = () => {},
}: ExamineOptions): Promise<HomeExamination> {
  const byId = new Map<string, Known>();
  const duplicates: { found: FoundRollout; fault: Fault }[] = [];
  const basedOn = new Map<string, FileExamination>();
  const bases = new Set<string>();
  const faulty = new Map<string, FileExamination>();
  let files = 0;
  for (const archived of [false, true]) {
    for await (const found of walkRollouts(home, { archived })) {
      onFile(files, found.path);
      files += 1;
      if (found.name.compressed) {
        const id = found.name.rolloutId.toLowerCase();
        if (!byId.has(id)) byId.set(id, { found, size: 0 });
        const examined = await examinePacked(rollouts, found);
        if (examined.faults.length > 0) faulty.set(found.path, examined);
        continue;
      }
      const examined = await examineFile(found);
      const duplicate = registerFile(byId, { found, size: examined.stamp.size });
      if (duplicate !== null) duplicates.push(duplicate);
      if (examined.base !== null) {
        bases.add(examined.base.thread_id.toLowerCase());
        basedOn.set(found.path, examined);
      }
      if (examined.faults.length > 0) faulty.set(found.path, examined);
    }
  }
  const moved = new Set(duplicates.map(({ found }) => found.path));
  const detached = new Set<string>();
  for (const [path, examined] of basedOn) {
    if (moved.has(path) || examined.base === null) continue;
    const baseId = examined.base.thread_id;
    if (byId.has(baseId.toLowerCase())) continue;
    detached.add(path);
    faulty.set(path, { ...examined, faults: [...examined.faults, missingBase(path, baseId)] });
  }
  const strays = await findStrays(home, byId);
  return {
    files,
    faulty: [...faulty.values()].filter(({ found }) => !moved.has(found.path)),
    detached,
    bases,
    duplicates,
    strays,
  };
}

function missingBase(path: string, baseId: string): Fault {
  const message = `the file of ${baseId}, which it is based on, is missing`;
  return { kind: "missingBase", path, lineNumber: null, message, repair: "made self-contained" };
}

/**
 * Of two files with the same id, the longer one is kept; of equally long ones the first found, which is active or
 * newer.
 */
function registerFile(byId: Map<string, Known>, own: Known): { found: FoundRollout; fault: Fault } | null {
  const id = own.found.name.rolloutId.toLowerCase();
  const other = byId.get(id);
  if (other === undefined) {
    byId.set(id, own);
    return null;
  }
  const isLonger = own.size > other.size;
  if (isLonger) byId.set(id, own);
  const [stays, goes] = isLonger ? [own, other] : [other, own];
  const message = `it has the same id as ${stays.found.path}, which is ${own.size === other.size ? "as long" : "longer"}`;
  const fault = {
    kind: "duplicate",
    path: goes.found.path,
    lineNumber: null,
    message,
    repair: "moved aside",
  } as const;
  return { found: goes.found, fault };
}

const LEFTOVERS = [REPAIR_SUFFIX, IMPORT_SUFFIX, PACKING_SUFFIX];

async function findStrays(
  home: string,
  byId: ReadonlyMap<string, Known>,
): Promise<HomeExamination["strays"]> {
  const strays: { fault: Fault; target: string | null }[] = [];
  for (const path of [...filesUnder(sessionsFolder(home)), ...filesUnder(archivedFolder(home))]) {
    const name = basename(path);
    if (parseRolloutName(name) !== null && isRolloutFolder(home, path)) continue;
    if (LEFTOVERS.some((suffix) => name.endsWith(suffix))) {
      const message = "it is left over from an interrupted run";
      strays.push({
        target: null,
        fault: { kind: "leftover", path, lineNumber: null, message, repair: "removed" },
      });
    } else if (name.endsWith(".jsonl")) strays.push(await examineStray(home, path, byId));
  }
  return strays;
}

/** The first line of a misplaced rollout determines its path. */
async function examineStray(home: string, path: string, byId: ReadonlyMap<string, Known>) {
  const base = { kind: "misnamed", path, lineNumber: null } as const;
  const named = await nameOf(home, path);
  if (named === null)
    return { target: null, fault: { ...base, message: "it is not a rollout", repair: null } };
  const { threadId, target } = named;
  if (byId.has(threadId.toLowerCase()) || (await exists(target))) {
    const message = `it is not where a rollout belongs, and thread ${threadId} has another file`;
    return { target: null, fault: { ...base, message, repair: null } };
  }
  const message = `it is not where the rollout of thread ${threadId} belongs`;
  return { target, fault: { ...base, message, repair: `moved to ${target}` } };
}

async function nameOf(home: string, path: string): Promise<{ threadId: string; target: string } | null> {
  const opened = await openRollout(plainFiles, path);
  if (opened.kind === "unreadable") return null;
  try {
    for await (const { line } of opened.reader.lines()) {
      const threadId = line.type === "session_meta" ? textMember(line.payload, "id") : null;
      const createdAtMs = Date.parse(textMember(line.payload, "timestamp") ?? line.timestamp);
      if (threadId === null || Number.isNaN(createdAtMs)) return null;
      const target = rolloutPath(home, { threadId, createdAtMs });
      return parseRolloutName(basename(target)) === null ? null : { threadId, target };
    }
    return null;
  } finally {
    await opened.reader.close();
  }
}

/** Programs look for rollouts only in day folders, three levels deep, and in the archive. */
function isRolloutFolder(home: string, path: string): boolean {
  if (path.startsWith(join(archivedFolder(home), "/")))
    return path === join(archivedFolder(home), basename(path));
  const relative = path.slice(sessionsFolder(home).length);
  return /^\/\d{4}\/\d{2}\/\d{2}\/[^/]+$/.test(relative);
}

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch {
    // There is no history yet.
    return [];
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
