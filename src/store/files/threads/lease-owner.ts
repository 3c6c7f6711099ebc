/**
 * Names a process so that others can tell whether it still runs. A process id alone does not say: in a container every
 * server is process 1, and elsewhere an id is given again, or belongs to a child that has ended and was not waited for.
 * So the name has the start time of the process as well, and the boot and the namespace that make the two comparable.
 */
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { readRegularFileSync } from "../../../base/read-regular-file.ts";
import type { NodeInfo } from "../../leases.ts";

/** `unknown` where it runs under another kernel, or in a container that this process cannot look into. */
export type Liveness = "alive" | "dead" | "unknown";

/** What the system says of processes, as this one sees it. */
export interface ProcessView {
  readonly pid: number;
  readonly host: string;
  /** Another one after each start of the machine; empty where it cannot be known. */
  readonly boot: string;
  /** Where process ids mean the same; empty where it cannot be known. */
  readonly namespace: string;
  /** When this process began, in whatever unit: only compared. */
  readonly start: string;
  look(pid: number): Look;
}

/** `start` is null where it cannot be known. */
export type Look =
  | { readonly kind: "runs"; readonly start: string | null }
  /** There is none of this id, or one that has ended and was not waited for. */
  | { readonly kind: "ended" };

/** This process, as others are to know it. */
export function nodeHere(id: string, view: ProcessView = systemProcesses()): NodeInfo {
  const { pid, host, boot, namespace, start } = view;
  return { id, pid, host, boot, namespace, start };
}

/** How a lease names its holder: `<process id>@<host>#<id>;<boot>;<namespace>;<start>`. */
export function ownerName({ id, pid, host, boot, namespace, start }: NodeInfo): string {
  return `${pid}@${host}#${start === null ? id : [id, boot, namespace, start].join(";")}`;
}

const NAME = /^(\d{1,10})@([^#]*)#([^;]*)(?:;([^;]*);([^;]*);([^;]+))?$/;

/** Null for what is no name of a process. */
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
  // Whoever has the id of this process under the name of this host is what ran here before.
  if (pid === view.pid) return "dead";
  return start === null ? livenessHere(pid, null, view) : "unknown";
}

/** Whether ids and start times of its place mean the same here. */
function canBeCompared({ host, boot, namespace }: NodeInfo, view: ProcessView): boolean {
  const isSamePlace = boot === view.boot && namespace === view.namespace;
  return isSamePlace && (boot !== "" || host === view.host);
}

function livenessHere(pid: number, start: string | null, view: ProcessView): Liveness {
  if (pid === view.pid && start !== null) return start === view.start ? "alive" : "dead";
  const found = view.look(pid);
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
    look(other) {
      const status = startOnLinux(other);
      if (status !== null) return status.isOver ? { kind: "ended" } : { kind: "runs", start: status.start };
      return isThere(other) ? { kind: "runs", start: null } : { kind: "ended" };
    },
  };
}

/** What comes behind the name of the program, which may have spaces and brackets in it. */
const BEHIND_NAME = /\) (\S) (?:\S+ ){18}(\d+) /;
/** Zombies and what is about to be gone. */
const OVER = new Set(["Z", "X", "x"]);

function startOnLinux(pid: number): { readonly start: string; readonly isOver: boolean } | null {
  const text = read(`/proc/${pid}/stat`) ?? "";
  const [, state = "", start] = BEHIND_NAME.exec(text.slice(text.lastIndexOf(")"))) ?? [];
  return start === undefined ? null : { start, isOver: OVER.has(state) };
}

function isThere(pid: number): boolean {
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
