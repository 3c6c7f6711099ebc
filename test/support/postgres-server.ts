/**
 * A PostgreSQL server of its own for the tests of a worker, and a schema in it for each test. It is started by the
 * first test that needs it. `HEDDLE_TEST_POSTGRES=URL` names a server to use instead.
 */
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { joinWords } from "../../src/base/shlex.ts";
import { findProgram, lackOf } from "./needs-program.ts";

export interface TestServer {
  /** Creates an empty schema, which takes far less than a database, and returns the URL of a store in it. */
  createSchema(): Promise<string>;
  dropSchema(url: string): Promise<void>;
  /** Runs a statement as the administrator, by default in no schema of a test. */
  run(text: string, url?: string): Promise<readonly Record<string, unknown>[]>;
  /** Stops all processes of the server as a crash does, and starts it again. */
  crash(): void;
}

const GIVEN = process.env["HEDDLE_TEST_POSTGRES"];

/** Why there is no server for tests; null if there is one. */
export function lackOfPostgres(): string | null {
  return GIVEN === undefined ? lackOf("postgres") : null;
}

/** Tests of crashes need a server of their own. */
export const isOwnServer = GIVEN === undefined;

let started: Promise<TestServer> | null = null;

/** The server of this worker. */
export function postgresServer(): Promise<TestServer> {
  started ??= GIVEN === undefined ? startServer() : Promise.resolve(serverAt(GIVEN, () => {}));
  return started;
}

async function startServer(): Promise<TestServer> {
  const programs = dirname(findProgram("postgres") ?? "");
  // The server refuses to run as root.
  const user = process.getuid?.() === 0 ? userNamed("postgres") : null;
  const folder = mkdtempSync(join(tmpdir(), "heddle-postgres-"));
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const run = (program: string, ...args: string[]): void => {
    const options = { ...user, cwd: folder, stdio: ["ignore", "ignore", "pipe"] as "pipe"[] };
    const { status, stderr } = spawnSync(join(programs, program), args, options);
    if (status !== 0) throw new Error(`${program} failed: ${String(stderr)}`);
  };
  const data = join(folder, "data");
  run("initdb", "-D", data, "-U", "heddle", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync");
  const port = await freePort();
  // Without fsync a commit survives every process, but not the machine, which no test ends.
  const settings = { port, listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off" };
  const limits = { max_connections: 400, shared_buffers: "64MB" };
  const options = Object.entries({ ...settings, ...limits }).map(([name, value]) => `-c ${name}='${value}'`);
  const control = (action: string, ...more: string[]): void =>
    run("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), ...more, action);
  const start = () => control("start", "-o", options.join(" "));
  start();
  stopWithWorker([join(programs, "pg_ctl"), "-D", data, "-m", "immediate", "stop"], folder, user);
  return serverAt(`postgres://heddle@127.0.0.1:${port}/postgres`, () => {
    control("stop", "-m", "immediate");
    start();
  });
}

/** However the worker ends: its end of the pipe is closed then, and the shell continues. */
function stopWithWorker(stop: readonly string[], folder: string, user: User | null): void {
  const script = `cat >/dev/null; ${joinWords(stop)}; cd /; rm -rf ${joinWords([folder])}`;
  const child = spawn("sh", ["-c", script], {
    ...user,
    cwd: folder,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

function serverAt(administrator: string, crash: () => void): TestServer {
  async function run(text: string, url = administrator) {
    const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
    try {
      return await sql.unsafe(text);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
  return {
    run,
    crash,
    async createSchema() {
      const name = `heddle_${randomUUID().replaceAll("-", "")}`;
      await run(`CREATE SCHEMA ${name}`);
      const url = new URL(administrator);
      url.searchParams.set("search_path", name);
      return url.href;
    },
    dropSchema: async (url) =>
      void (await run(`DROP SCHEMA ${new URL(url).searchParams.get("search_path")} CASCADE`)),
  };
}

function userNamed(name: string): User {
  for (const line of readFileSync("/etc/passwd", "utf8").split("\n")) {
    const [user, , uid, gid] = line.split(":");
    if (user === name) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(`PostgreSQL cannot run as root, and there is no user ${name}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
