/**
 * Determines whether TCP connections originate in a sandbox. Every sandboxed command is in its own user namespace and can
 * never return to ours, so the process that holds the peer socket reveals its origin. Any attempt to hide the socket
 * (passing it on, moving it to a thread, closing it) results in no holder being found, which is treated like a sandboxed
 * one as long as any sandbox exists.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface TcpCaller {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
}

/** `unknown`: the connection may originate in a sandbox. */
export type CallerOrigin = "outside" | "confined" | "unknown";

export interface CallerOptions {
  /** The proc file system. */
  readonly proc?: string;
  readonly user?: number;
}

/** The maximum time for which the event loop is blocked. */
const SLICE_MS = 4;

/** Classifies many callers with one scan of all processes, which is the expensive part. */
export async function classifyCallers(
  callers: readonly TcpCaller[],
  { proc = "/proc", user = process.getuid?.() ?? 0 }: CallerOptions = {},
): Promise<CallerOrigin[]> {
  const own = readLink(join(proc, "self/ns/user"));
  // Without /proc there is no bubblewrap sandbox from which a process could call us.
  if (own === null) return callers.map(() => "outside");
  const pause = createPause();
  const [sandboxed, others]: [string[], string[]] = [[], []];
  for (const pid of listProcesses(proc)) {
    await pause();
    (isSandboxed(join(proc, pid), own) ? sandboxed : others).push(pid);
  }
  if (sandboxed.length === 0) return callers.map(() => "outside");
  const ends = readSockets(proc);
  const found = callers.map((caller) => ends.get(routeOf(caller)) ?? null);
  // A sandboxed process always has our user id.
  const wantedInodes = new Set(found.flatMap((end) => (end?.user === user ? [end.inode] : [])));
  const heldBy = async (pids: readonly string[]): Promise<Set<string>> => {
    const held = new Set<string>();
    for (const pid of wantedInodes.size === 0 ? [] : pids) {
      await pause();
      for (const inode of socketsOf(join(proc, pid, "fd"))) if (wantedInodes.has(inode)) held.add(inode);
    }
    for (const inode of held) wantedInodes.delete(inode);
    return held;
  };
  const confined = await heldBy(sandboxed);
  const free = await heldBy(others);
  return found.map((end, index) => {
    if (end === null) return isLoopback(callers[index]?.remoteAddress ?? "") ? "unknown" : "outside";
    if (end.user !== user || free.has(end.inode)) return "outside";
    return confined.has(end.inode) ? "confined" : "unknown";
  });
}

function listProcesses(proc: string): string[] {
  return readdirSync(proc).filter((name) => /^\d+$/.test(name));
}

/** A process whose namespace link is unreadable still shows its number of PID namespaces. */
function isSandboxed(folder: string, own: string): boolean {
  const namespace = readLink(join(folder, "ns/user"));
  if (namespace !== null) return namespace !== own;
  const numbers = /^NSpid:\s*(.+)$/m.exec(readText(join(folder, "status")))?.[1] ?? "";
  return numbers.trim().split(/\s+/).length > 1;
}

function socketsOf(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const inode = /^socket:\[(\d+)\]$/.exec(readLink(join(folder, name)) ?? "")?.[1];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return [];
  }
}

interface SocketEnd {
  readonly inode: string;
  readonly user: number;
}

/** Local sockets by their local and remote endpoints. */
function readSockets(proc: string): Map<string, SocketEnd> {
  const ends = new Map<string, SocketEnd>();
  for (const table of ["tcp", "tcp6"]) {
    for (const line of readText(join(proc, "net", table)).split("\n")) {
      const [, local, remote, , , , , user, , inode] = line.trim().split(/\s+/);
      if (local === undefined || remote === undefined || inode === undefined || inode === "0") continue;
      ends.set(`${fromKernel(local)}>${fromKernel(remote)}`, { inode, user: Number(user) });
    }
  }
  return ends;
}

function routeOf({ remoteAddress, remotePort, localAddress, localPort }: TcpCaller): string {
  return `${endpoint(remoteAddress, remotePort)}>${endpoint(localAddress, localPort)}`;
}

function endpoint(address: string, port: number): string {
  return `${toBytes(address).toString("hex")}:${port}`;
}

/** The kernel prints addresses as 32-bit words in host byte order. */
function fromKernel(text: string): string {
  const [address = "", port = "0"] = text.split(":");
  const bytes = Buffer.from(address, "hex").swap32();
  return `${withoutMapping(bytes).toString("hex")}:${Number.parseInt(port, 16)}`;
}

function toBytes(address: string): Buffer {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return Buffer.from(plain.split(".").map(Number));
  const [head = "", tail] = plain.replace(/%.*$/, "").split("::");
  const groups = (part: string) =>
    part === "" ? [] : part.split(":").map((each) => Number.parseInt(each, 16));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
  const bytes = Buffer.alloc(16);
  all.forEach((group, index) => bytes.writeUInt16BE(group, index * 2));
  return withoutMapping(bytes);
}

const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

/** Converts IPv4-mapped addresses to IPv4, so that both tables have the same keys. */
function withoutMapping(bytes: Buffer): Buffer {
  return bytes.length === 16 && bytes.subarray(0, 12).equals(MAPPED) ? bytes.subarray(12) : bytes;
}

function isLoopback(address: string): boolean {
  const bytes = toBytes(address);
  return bytes.length === 4 ? bytes[0] === 127 : bytes.subarray(0, 15).every((byte) => byte === 0);
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
}
