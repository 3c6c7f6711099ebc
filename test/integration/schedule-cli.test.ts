/** `heddle schedule` and `heddle threads wake-token`, without a server and beside one. */
import { expect, onTestFinished, test, vi } from "vitest";
import { Child } from "../support/child.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const DEADLINE = 20_000;

async function openHome(): Promise<TempHome> {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  return home;
}

function start(home: TempHome, args: readonly string[]): Child {
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  child.endInput();
  return child;
}

async function run(home: TempHome, ...args: readonly string[]): Promise<string> {
  const child = start(home, args);
  expect([(await child.exit).code, child.stderr]).toEqual([0, ""]);
  return child.stdout;
}

async function refused(home: TempHome, ...args: readonly string[]): Promise<string> {
  const child = start(home, args);
  expect((await child.exit).code).not.toBe(0);
  return child.stderr;
}

test("a schedule is created, shown, changed, paused, run and deleted without a server", async () => {
  const home = await openHome();
  const night = ["--cron", "30 2 * * *", "--zone", "Europe/Berlin"];
  const created = await run(
    home,
    "schedule",
    "create",
    ...night,
    "--new",
    "--name",
    "nightly",
    "--",
    "Tidy up",
  );
  expect(created).toMatch(
    /^\S+ {2}next \S+ {2}nightly: Tidy up\n {2}30 2 \* \* \* in Europe\/Berlin, in a new/u,
  );
  expect(await run(home, "schedule", "list")).toBe(created);
  expect(await run(home, "schedule", "pause", "nightly")).toContain("  paused  ");
  expect(await run(home, "schedule", "update", "nightly", "--missed", "all", "--", "Sweep")).toMatch(
    /paused {2}nightly: Sweep\n.*missed runs: all\n$/u,
  );
  const { run: done } = JSON.parse(await run(home, "schedule", "run-now", "nightly", "--json")) as {
    run: { threadId: string; status: { type: string } };
  };
  expect(done.status.type).toBe("queued");
  const { queues } = JSON.parse(await run(home, "queue", "list", "--json")) as {
    queues: { threadId: string; queuedTurns: { source: string }[] }[];
  };
  expect(queues).toMatchObject([{ threadId: done.threadId, queuedTurns: [{ source: "schedule" }] }]);
  expect(await run(home, "schedule", "resume", "nightly")).toContain("  next ");
  expect(await run(home, "schedule", "delete", "nightly")).toMatch(/^deleted: /u);
  expect(await run(home, "schedule", "list", "--json")).toBe('{\n  "schedules": []\n}\n');
});

test("what is wrong with a schedule is said, and nothing is created", async () => {
  const home = await openHome();
  const create = (...args: readonly string[]) => refused(home, "schedule", "create", ...args);
  expect(await create("--cron", "0 0 * * * *", "--new", "--", "x")).toContain("has 6 fields");
  expect(await create("--cron", "* * * * *", "--zone", "Mars", "--new", "--", "x")).toContain("unknown time");
  expect(await create("--cron", "* * * * *", "--", "x")).toContain("one of '--thread' and '--new'");
  expect(await create("--new", "--", "x")).toContain("one of '--cron' and '--at'");
  expect(await create("--at", "+2h", "--cron", "* * * * *", "--new", "--", "x")).toContain("cannot be used");
  expect(await create("--at", "+2h", "--thread", "nobody", "--", "x")).toContain("there is no thread");
  expect(await refused(home, "schedule", "pause", "nobody")).toContain("there is no schedule 'nobody'");
  expect(await run(home, "schedule", "list", "--json")).toContain("[]");
});

test("a server runs what the command line has scheduled meanwhile", async () => {
  const home = await openHome();
  const server = start(home, ["serve", "--listen=ws://127.0.0.1:0"]);
  onTestFinished(() => server.stop().then(() => {}));
  await server.stderrMatch(/listening on {2}ws:/u, DEADLINE);
  await run(home, "schedule", "create", "--at", "+3s", "--new", "--", "hello");
  await vi.waitFor(async () => expect(await run(home, "queue", "log")).toContain("completed"), {
    timeout: DEADLINE,
    interval: 500,
  });
  expect(await run(home, "schedule", "list")).toMatch(
    / {2}finished {2}hello\n.*\n {2}last run .*: queued as /u,
  );
});

test("a token is created, listed without its secret, and revoked", async () => {
  const home = await openHome();
  const added = await run(home, "queue", "add", "--new", "--json", "hello");
  const { threadId } = JSON.parse(added) as { threadId: string };
  const created = await run(home, "threads", "wake-token", "create", threadId, "--name", "ci", "--json");
  const { token, path, wakeToken } = JSON.parse(created) as {
    token: string;
    path: string;
    wakeToken: { id: string };
  };
  expect(path).toBe(`/wake/${token}`);
  const listed = await run(home, "threads", "wake-token", "list", threadId);
  expect([listed.includes(wakeToken.id), listed.includes("ci"), listed.includes(token)]).toEqual([
    true,
    true,
    false,
  ]);
  await run(home, "threads", "wake-token", "revoke", threadId, wakeToken.id);
  expect(await run(home, "threads", "wake-token", "list", threadId)).toBe("");
  expect(await refused(home, "threads", "wake-token", "revoke", threadId, wakeToken.id)).toContain(
    "has no token",
  );
});
