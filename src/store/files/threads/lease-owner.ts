/**
 * Identifies a process so that others can tell whether it is alive. A PID alone does not suffice: in a container every
 * server has PID 1, and elsewhere a PID is reused or belongs to a zombie. Therefore the name includes the start time of
 * the process, and the boot id and PID namespace that make both comparable.
 */
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { readRegularFileSync } from "../../../base/read-regular-file.ts";
import type { NodeInfo } from "../../leases.ts";

/** `unknown` if the process runs under another kernel, or in a container that this process cannot inspect. */
export type Liveness = "alive" | "dead" | "unknown";

/** The process table as this process sees it. */
export interface ProcessView {
  readonly pid: number;
  readonly host: string;
  /** Changes with each boot; empty if unknown. */
  readonly boot: string;
  /** The PID namespace; empty if unknown. */
  readonly namespace: string;
  /** The start time of this process in an arbitrary unit, used only for equality. */
  readonly start: string;
  statusOf(pid: number): ProcessStatus;
}

/** `start` is null if unknown. */
export type ProcessStatus =
  | { readonly kind: "runs"; readonly start: string | null }
  /** No process has this id, or it is a zombie. */
  | { readonly kind: "ended" };

/** The identity of this process. */
export function currentNode(id: string, view: ProcessView = systemProcesses()): NodeInfo {
  const { pid, host, boot, namespace, start } = view;
  return { id, pid, host, boot, namespace, start };
}

/** The owner name in a lease: `<process id>@<host>#<id>;<boot>;<namespace>;<start>`. */
export function ownerName({ id, pid, host, boot, namespace, start }: NodeInfo): string {
  return `${pid}@${host}#${start === null ? id : [id, boot, namespace, start].join(";")}`;
}

const NAME = /^(\d{1,10})@([^#]*)#([^;]*)(?:;([^;]*);([^;]*);([^;]+))?$/;

/** Null for text that is not an owner name. */
export function parseOwner(owner: string): NodeInfo | null {
  const match = NAME.exec(owner);
  if (match === null) return null;
  const [, pid = "", host = "", id = "", boot = "", namespace = "", start = null] = match;
  return { id, pid: Number(pid), host, boot, namespace, start };
}

export function livenessOf(owner: string, view: ProcessView = systemProcesses()): Liveness {
  const name = parseOwner(owner);
  if (name === null) return "unknown";
  const { pid, host, start } = name;
  if (start !== null && canBeCompared(name, view)) return livenessHere(pid, start, view);
  if (host !== view.host) return "unknown";
  // An owner with this PID and host name is an earlier process, such as one before a restart of the container.
  if (pid === view.pid) return "dead";
  return start === null ? livenessHere(pid, null, view) : "unknown";
}

/** Whether PIDs and start times of the node are comparable with those here. */
function canBeCompared({ host, boot, namespace }: NodeInfo, view: ProcessView): boolean {
  const isSamePlace = boot === view.boot && namespace === view.namespace;
  return isSamePlace && (boot !== "" || host === view.host);
}

function livenessHere(pid: number, start: string | null, view: ProcessView): Liveness {
  if (pid === view.pid && start !== null) return start === view.start ? "alive" : "dead";
  const found = view.statusOf(pid);
  if (found.kind === "ended") return "dead";
  return start === null || found.start === null || found.start === start ? "alive" : "dead";
}

export function systemProcesses(): ProcessView {
  const { pid } = process;
  const own = startOnLinux(pid);
  return {
    pid,
    host: hostname(),
    boot: read("/proc/sys/kernel/random/boot_id")?.trim() ?? "",
    namespace: namespaceOf("/proc/self/ns/pid"),
    start: own?.start ?? `${Math.round(performance.timeOrigin)}`,
    statusOf(other) {
      const status = startOnLinux(other);
      if (status !== null) return status.hasEnded ? { kind: "ended" } : { kind: "runs", start: status.start };
      return exists(other) ? { kind: "runs", start: null } : { kind: "ended" };
    },
  };
}

/** The fields after the program name, which may contain spaces and parentheses. */
const AFTER_NAME = /\) (\S) (?:\S+ ){18}(\d+) /;
/** Zombies and dead processes. */
const ENDED_STATES = new Set(["Z", "X", "x"]);

function startOnLinux(pid: number): { readonly start: string; readonly hasEnded: boolean } | null {
  const text = read(`/proc/${pid}/stat`) ?? "";
  const [, state = "", start] = AFTER_NAME.exec(text.slice(text.lastIndexOf(")"))) ?? [];
  return start === undefined ? null : { start, hasEnded: ENDED_STATES.has(state) };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function namespaceOf(path: string): string {
  try {
    return readlinkSync(path).replaceAll(/\D/g, "");
  } catch {
    return "";
  }
}

const MAX_BYTES = 4096;

function read(path: string): string | null {
  const found = readRegularFileSync(path, { maxBytes: MAX_BYTES, larger: "cut" });
  return found.kind === "refused" ? null : found.bytes.toString("latin1");
}
