/**
 * Finds out whether a TCP connection comes out of a sandbox. Every confined command is in a user namespace of its own
 * and can never come back into ours, so that whoever holds the other end of the connection gives itself away. What it
 * might do to hide its end (hand it on, give it to a thread, let go of it) leads to nobody being found, and that is no
 * better than being found in a sandbox as long as there is one.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface Caller {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
}

/** `unknown`: it may come out of a sandbox. */
export type CallerVerdict = "outside" | "confined" | "unknown";

export interface CallerOptions {
  /** Where the system shows its processes. */
  readonly proc?: string;
  readonly user?: number;
}

/** How long the event loop is kept from other work at a time. */
const SLICE_MS = 4;

export async function judgeCaller(caller: Caller, options: CallerOptions = {}): Promise<CallerVerdict> {
  const { proc = "/proc", user = process.getuid?.() ?? 0 } = options;
  const own = readLink(join(proc, "self/ns/user"));
  // Where the system shows no processes, none of them is in a sandbox of ours.
  if (own === null) return "outside";
  const pause = createPause();
  const [nested, others]: [string[], string[]] = [[], []];
  for (const pid of listProcesses(proc)) {
    await pause();
    (isNested(join(proc, pid), own) ? nested : others).push(pid);
  }
  if (nested.length === 0) return "outside";
  const end = findOtherEnd(caller, proc);
  if (end === null) return isLoopback(caller.remoteAddress) ? "unknown" : "outside";
  // Nobody in a sandbox has another user's id.
  if (end.user !== user) return "outside";
  const holds = async (pids: readonly string[]): Promise<boolean> => {
    for (const pid of pids) {
      await pause();
      if (holdsSocket(join(proc, pid, "fd"), end.inode)) return true;
    }
    return false;
  };
  if (await holds(nested)) return "confined";
  return (await holds(others)) ? "outside" : "unknown";
}

function listProcesses(proc: string): string[] {
  return readdirSync(proc).filter((name) => /^\d+$/.test(name));
}

/** One that does not let itself be looked at still has to show how many process namespaces it is in. */
function isNested(folder: string, own: string): boolean {
  const namespace = readLink(join(folder, "ns/user"));
  if (namespace !== null) return namespace !== own;
  const numbers = /^NSpid:\s*(.+)$/m.exec(readText(join(folder, "status")))?.[1] ?? "";
  return numbers.trim().split(/\s+/).length > 1;
}

function holdsSocket(folder: string, inode: string): boolean {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return false;
  }
  return names.some((name) => readLink(join(folder, name)) === `socket:[${inode}]`);
}

interface OtherEnd {
  readonly inode: string;
  readonly user: number;
}

/** The caller's socket, if it is on this machine. */
function findOtherEnd(caller: Caller, proc: string): OtherEnd | null {
  const from = endpoint(caller.remoteAddress, caller.remotePort);
  const to = endpoint(caller.localAddress, caller.localPort);
  for (const table of ["tcp", "tcp6"]) {
    for (const line of readText(join(proc, "net", table)).split("\n")) {
      const [, local, remote, , , , , user, , inode] = line.trim().split(/\s+/);
      if (local === undefined || remote === undefined || inode === undefined || inode === "0") continue;
      if (fromKernel(local) === from && fromKernel(remote) === to) return { inode, user: Number(user) };
    }
  }
  return null;
}

function endpoint(address: string, port: number): string {
  return `${toBytes(address).toString("hex")}:${port}`;
}

/** The kernel writes addresses as numbers of four bytes, in the order of the machine. */
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

/** An address of the old kind is the same in both tables. */
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
