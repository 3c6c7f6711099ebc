/**
 * Runs the program again inside namespaces of its own: a network with nothing but loopback, a private /etc, and a
 * process tree that dies with it. The peer looks up internet hosts when it starts; on a machine without a resolver it
 * waits five seconds for each, so the private /etc names a resolver of ours that refuses every name at once.
 */
import { spawn, spawnSync } from "node:child_process";
import { createSocket, type Socket } from "node:dgram";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

const MARK = "HEDDLE_TEST_ISOLATED";

const SCRIPT = `set -e
ip link set lo up
mount -t tmpfs tmpfs "$1"
cp -a /etc/. "$1"/ 2>/dev/null || true
rm -f "$1"/resolv.conf
echo "nameserver 127.0.0.1" > "$1"/resolv.conf
mount --bind "$1" /etc
shift
exec "$@"`;

export function isIsolated(environment: NodeJS.ProcessEnv = process.env): boolean {
  return environment[MARK] === "1";
}

/**
 * Runs this very program again, isolated, and gives its exit code; undefined where the machine does not allow it.
 */
export async function runIsolated(cache: string): Promise<number | undefined> {
  const etc = join(cache, "etc");
  await mkdir(etc, { recursive: true });
  const flags = [
    "--net",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--propagation",
    "private",
  ];
  if (process.getuid?.() !== 0) flags.push("--map-root-user");
  const enter = [...flags, "sh", "-c", SCRIPT, "sh", etc];
  if (spawnSync("unshare", [...enter, "true"], { stdio: "ignore" }).status !== 0) return undefined;

  const child = spawn("unshare", [...enter, process.execPath, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, [MARK]: "1" },
  });
  const stop = (): void => {
    child.kill("SIGKILL");
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  return await new Promise((resolve) => {
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** A name server on 127.0.0.1:53 for which no name exists. */
export async function openRefusingResolver(): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.on("message", (query, client) => {
    socket.send(refuse(query), client.port, client.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(53, "127.0.0.1", resolve);
  });
  return socket;
}

/** The answer to a DNS query: the same id and question, the code for "no such name", no records. */
export function refuse(query: Buffer): Buffer {
  let end = 12;
  while (end < query.length && query.readUInt8(end) !== 0) end += query.readUInt8(end) + 1;
  const answer = Buffer.from(query.subarray(0, Math.min(end + 5, query.length)));
  answer.writeUInt16BE(0x8183, 2);
  answer.writeUInt16BE(1, 4);
  answer.fill(0, 6, 12);
  return answer;
}
