/**
 * Repairs the faults that an examination found. Each file is repaired under the lease of its thread: a corrected copy
 * is written, checked and moved into place. The old file is kept under another name.
 */
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { link, mkdir, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../base/errors.ts";
import { syncFolder } from "../../../base/file-system.ts";
import type { Leases, NodeInfo } from "../../leases.ts";
import {
  backupName,
  examineFile,
  type Fault,
  type FaultReport,
  type FaultState,
  type FileExamination,
} from "./examine-file.ts";
import type { HomeExamination } from "./examine-home.ts";
import { rewriteFile } from "./rewrite-file.ts";

export interface RepairOptions {
  /** The start of the run, which is part of backup names. */
  readonly nowMs: number;
  readonly now: () => number;
  readonly leases: Leases;
  /** How long a file must have been unchanged. */
  readonly restMs?: number;
}

const DEFAULT_REST_MS = 2000;

export async function repairHome(home: HomeExamination, options: RepairOptions): Promise<FaultReport[]> {
  const reports: FaultReport[] = [];
  for (const { found, fault } of home.duplicates) {
    const state = await withLease(found, options, () => moveAside(found.path, options.nowMs));
    reports.push({ ...fault, state });
  }
  for (const examined of home.faulty) {
    const state = isRepairable(examined)
      ? await withLease(examined.found, options, () => repairFile(examined, home, options))
      : ({ kind: "left", why: "it cannot be read" } as const);
    reports.push(...examined.faults.map((fault) => stateOf(fault, state)));
  }
  for (const { fault, target } of home.strays)
    reports.push({ ...fault, state: await repairStray(fault, target, options) });
  return reports;
}

function isRepairable({ faults }: FileExamination): boolean {
  return faults.some(({ repair }) => repair !== null);
}

function stateOf(fault: Fault, state: FaultState): FaultReport {
  if (fault.repair === null) return { ...fault, state: { kind: "left", why: "it cannot be read" } };
  return { ...fault, state };
}

function inUse(threadId: string, node: NodeInfo | null): string {
  const how =
    node === null
      ? `thread ${threadId} already has an active writer`
      : `process ${node.pid}@${node.host} writes to it`;
  return `the thread is in use: ${how}`;
}

/** Runs the work under the lease of the thread, unless the file is in use. */
async function withLease(
  { path, name }: FileExamination["found"],
  options: RepairOptions,
  work: () => Promise<FaultState>,
): Promise<FaultState> {
  const lease = await options.leases.acquire(name.threadId, "ifFree");
  if (lease.kind === "elsewhere") return { kind: "left", why: inUse(name.threadId, lease.node) };
  try {
    const busy = await findUse(path, options);
    return busy === null ? await work() : { kind: "left", why: busy };
  } catch (error) {
    return { kind: "left", why: messageOf(error) };
  } finally {
    await options.leases.release(lease.fence);
  }
}

/** Waits until a recently changed file has been unchanged for `restMs`; returns why it is in use, or null. */
async function findUse(
  path: string,
  { now, restMs = DEFAULT_REST_MS }: RepairOptions,
): Promise<string | null> {
  const before = await stat(path);
  const ageMs = now() - before.mtimeMs;
  if (ageMs >= 0 && ageMs < restMs) await delay(restMs - ageMs);
  const after = await stat(path);
  if (after.mtimeMs !== before.mtimeMs || after.size !== before.size)
    return "the file is in use: it is being written to";
  const pid = findProcessUsing(path);
  return pid === null ? null : `the file is in use: process ${pid} has it open`;
}

async function moveAside(path: string, nowMs: number): Promise<FaultState> {
  const keptAs = backupName(path, nowMs);
  await rename(path, keptAs);
  return { kind: "mended", keptAs };
}

async function repairFile(
  examined: FileExamination,
  { bases, detached }: HomeExamination,
  { nowMs }: RepairOptions,
): Promise<FaultState> {
  const { found, faults } = examined;
  if (faults.some(({ kind }) => kind === "empty")) return moveAside(found.path, nowMs);
  // The file may have changed between its examination and the acquisition of the lease.
  const now = await examineFile(found);
  if (now.stamp.size !== examined.stamp.size || now.stamp.inode !== examined.stamp.inode)
    return { kind: "left", why: "it changed during the check" };
  const keepOffsets = bases.has(found.name.rolloutId.toLowerCase());
  const rewritten = await rewriteFile(now, { keepOffsets, detach: detached.has(found.path) });
  if (rewritten.kind === "impossible") return { kind: "left", why: rewritten.why };
  const keptAs = backupName(found.path, nowMs);
  await rewritten.file.commit({ modifiedAt: new Date(now.stamp.mtimeMs), keepOldAs: keptAs });
  return { kind: "mended", keptAs };
}

async function repairStray(
  { kind, path }: Fault,
  target: string | null,
  options: RepairOptions,
): Promise<FaultState> {
  try {
    // The repair of its file may have reused and removed it.
    if (kind === "leftover" && !existsSync(path)) return { kind: "mended", keptAs: null };
    const busy = await findUse(path, options);
    if (busy !== null) return { kind: "left", why: busy };
    if (kind === "leftover") {
      await rm(path);
      return { kind: "mended", keptAs: null };
    }
    if (target === null) return { kind: "left", why: "there is no automatic repair" };
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    // Unlike a rename, a hard link never replaces a file.
    await link(path, target);
    await syncFolder(dirname(target));
    await unlink(path);
    return { kind: "mended", keptAs: null };
  } catch (error) {
    return { kind: "left", why: messageOf(error) };
  }
}

// Detects programs that use a file without a lock.

/** The id of another process that has the file open; null if there is none or if the system has no `/proc`. */
export function findProcessUsing(path: string): number | null {
  for (const pid of list("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const folder = `/proc/${pid}/fd`;
    if (list(folder).some((fd) => targetOf(`${folder}/${fd}`) === path)) return Number(pid);
  }
  return null;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Processes may end meanwhile, and those of other users are not accessible.
    return [];
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
