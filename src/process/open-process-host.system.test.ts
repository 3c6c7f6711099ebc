import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltPrograms, buildPrograms } from "./fixtures/build-programs.ts";
import { openHelperHost } from "./open-process-host.ts";
import { describeProcessHost, isGone } from "./process-host.contract.ts";

let programs: BuiltPrograms;
beforeAll(() => {
  programs = buildPrograms();
});
afterAll(() => programs.remove());

describeProcessHost("a host in a helper process", () =>
  openHelperHost({ file: programs.helper, graceMs: 100 }),
);

test("the children of a killed helper end, and the helper is restarted", async () => {
  const host = openHelperHost({ file: programs.helper });
  const spec = {
    argv: ["/bin/sh", "-c", "trap '' HUP TERM PIPE; sleep 300"],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
  };
  const first = await host.start(spec, () => {});
  if (first.kind === "failed") throw first.error;
  process.kill(host.pid() ?? 0, "SIGKILL");
  expect(await first.process.exited).toEqual({ code: null, signal: "SIGKILL" });
  expect(await isGone(first.process.pid)).toBe(true);

  const second = await host.start({ ...spec, argv: ["/bin/true"] }, () => {});
  expect(second.kind === "started" && (await second.process.exited)).toEqual({ code: 0, signal: null });
  await host.close();
});

test("a prepared helper starts the first child, and is not started twice", async () => {
  const host = openHelperHost({ file: programs.helper });
  host.prepare();
  const prepared = host.pid();
  host.prepare();
  const said: string[] = [];
  const spec = { argv: ["/bin/sh", "-c", "echo $PPID"], cwd: "/", env: { PATH: "/usr/bin:/bin" } };
  const child = await host.start(spec, (chunk) => void said.push(chunk.toString()));
  if (child.kind === "failed") throw child.error;
  await child.process.closed;
  expect(said.join("").trim()).toBe(String(prepared));
  await host.close();
  host.prepare();
  expect(await isGone(prepared ?? 0)).toBe(true);
  expect(host.pid()).toBe(prepared);
});

test("a failed start does not disable the helper", async () => {
  const host = openHelperHost({ file: programs.helper });
  const spec = { argv: ["/bin/sh", "-c", "echo $PPID"], cwd: "/nowhere", env: { PATH: "/usr/bin:/bin" } };
  expect((await host.start(spec, () => {})).kind).toBe("failed");

  const said: string[] = [];
  const good = await host.start({ ...spec, cwd: "/" }, (chunk) => void said.push(chunk.toString()));
  if (good.kind === "failed") throw good.error;
  await good.process.closed;
  expect(said.join("").trim()).toBe(String(host.pid()));
  await host.close();
});

test("a killed server leaves no orphan processes", async () => {
  const server = spawn(process.execPath, [programs.doomedServer, programs.helper], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve) => {
    server.stdout.once("data", (data: Buffer) => resolve(data.toString()));
  });
  const pids = line.split(" ").map(Number);
  server.kill("SIGKILL");
  expect(await Promise.all(pids.map(isGone))).toEqual([true, true]);
});

test("a server without free descriptors survives, and starts processes when it has some again", async () => {
  const script = 'ulimit -n 100; exec "$0" "$@"';
  const { stdout } = await promisify(execFile)("/bin/sh", [
    "-c",
    script,
    process.execPath,
    programs.starvedServer,
    programs.helper,
  ]);
  expect(JSON.parse(stdout)).toEqual(["too many open files", "spawn /bin/true EMFILE", "started", "started"]);
});

test("processes are started locally if the helper cannot run", async () => {
  const host = openHelperHost({ file: "/nowhere/process-helper.cjs" });
  const outcome = await host.start({ argv: ["/bin/sh", "-c", "exit 4"], cwd: "/", env: {} }, () => {});
  expect(outcome.kind === "started" && (await outcome.process.exited)).toEqual({ code: 4, signal: null });
  await host.close();
});
