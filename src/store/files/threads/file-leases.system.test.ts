import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../../base/logger.ts";
import type { LeaseOutcome } from "../../leases.ts";
import { temporaryFolder } from "../rollout/rollout.fixture.ts";
import { databaseOf } from "../sqlite/database-file.ts";
import { openDatabase } from "../sqlite/driver.ts";
import { openSqliteTables } from "../sqlite/sqlite-tables.ts";
import { FileLeases, type LeaseOptions } from "./file-leases.ts";
import { currentNode, livenessOf, ownerName, systemProcesses } from "./lease-owner.ts";

const hasFlock = ["/usr/bin/flock", "/bin/flock"].some((path) => existsSync(path));
const isLinux = process.platform === "linux";

function openHome() {
  const home = temporaryFolder();
  const { index, close } = openSqliteTables(databaseOf(home));
  onTestFinished(close);
  let opened = 0;
  return {
    folder: home,
    table: index,
    open(
      members: Parameters<typeof currentNode>[1] = systemProcesses(),
      lockFiles = true,
      own: Partial<Pick<LeaseOptions, "clock" | "lockProgram">> = {},
    ) {
      const shared = { home, table: index, clock: createFakeClock(0), log: silentLogger };
      const leases = new FileLeases({ ...shared, lockFiles, ...own });
      leases.join(currentNode(`${++opened}`, members));
      onTestFinished(() => leases.close());
      return leases;
    },
    expire() {
      const database = openDatabase(databaseOf(home));
      database.exec("UPDATE leases SET expires_at_ms = 1");
      database.close();
    },
  };
}

function fenceOf(outcome: LeaseOutcome) {
  if (outcome.kind === "elsewhere") throw new Error("it is held elsewhere");
  return outcome.fence;
}

test.skipIf(!hasFlock)("who is refused a lease that has run out takes nothing from its holder", async () => {
  const home = openHome();
  const [holder, other] = [home.open(), home.open()];
  const fence = fenceOf(await holder.acquire("t", "ifFree"));
  home.expire();
  expect(await other.acquire("t", "ifFree")).toEqual({
    kind: "elsewhere",
    node: null,
  });
  expect([await holder.confirm(fence), await home.table.leaseMark("t")]).toMatchObject([
    fence,
    { epoch: fence.epoch },
  ]);
});

test.skipIf(!hasFlock)("a process takes what it holds already over from itself, with its lock", async () => {
  const home = openHome();
  const [holder, other] = [home.open(), home.open()];
  const fence = fenceOf(await holder.acquire("t", "ifFree"));
  expect((await holder.acquire("t", "ifFree")).kind).toBe("elsewhere");
  expect(await holder.confirm(fence)).toEqual(fence);
  const again = fenceOf(await holder.acquire("t", "takeOver"));
  home.expire();
  expect((await other.acquire("t", "ifFree")).kind).toBe("elsewhere");
  await holder.release(again);
  expect((await other.acquire("t", "ifFree")).kind).toBe("held");
});

test.skipIf(!hasFlock)(
  "of an owner that cannot be looked at, the lock says whether it has ended",
  async () => {
    const home = openHome();
    const away = { ...systemProcesses(), host: "container-7", namespace: "7" };
    const ours = home.open();
    const theirs = home.open(away);
    const fence = fenceOf(await theirs.acquire("t", "ifFree"));
    expect([await ours.isHeld("t"), (await ours.acquire("t", "ifFree")).kind]).toEqual([true, "elsewhere"]);
    expect(await theirs.confirm(fence)).toEqual(fence);
    // The process ends and releases the lock, but not the lease.
    await home.table.acquireLease({ threadId: "u", owner: ownerName(currentNode("dead", away)) });
    const lockHolder = home.open();
    await lockHolder.release(fenceOf(await lockHolder.acquire("u", "takeOver")));
    await home.table.acquireLease({ threadId: "u", owner: ownerName(currentNode("dead", away)) });
    expect(await ours.isHeld("u")).toBe(false);
    expect(await ours.acquire("u", "ifFree")).toMatchObject({ kind: "held", takenFrom: null });
  },
);

test("a lock that is taken is not tried again at each look", async () => {
  const home = openHome();
  const away = { ...systemProcesses(), host: "container-7", namespace: "7" };
  let tries = 0;
  const clock = createFakeClock(0);
  const ours = home.open(systemProcesses(), true, { clock, lockProgram: () => `/no/flock-${++tries}` });
  const theirs = home.open(away, true, { lockProgram: () => "flock" });
  await theirs.acquire("t", "ifFree");
  // If the lock cannot be tried, nothing is cached and each call tries again.
  for (let look = 0; look < 3; look += 1) expect(await ours.isHeld("t")).toBe(true);
  expect(tries).toBe(3);
  if (!hasFlock) return;
  const others = home.open(systemProcesses(), true, { clock, lockProgram: () => (++tries, "flock") });
  for (let look = 0; look < 3; look += 1) expect(await others.isHeld("t")).toBe(true);
  expect(tries).toBe(4);
  clock.advance(2000);
  expect([await others.isHeld("t"), tries]).toEqual([true, 5]);
});

test("an owner that cannot be looked at, and had no lock yet, is believed until its lease has run out", async () => {
  const home = openHome();
  const away = { ...systemProcesses(), host: "container-7", namespace: "7" };
  await home.table.acquireLease({ threadId: "t", owner: ownerName(currentNode("new", away)) });
  const ours = home.open();
  for (let time = 0; time < 2; time += 1)
    expect([await ours.isHeld("t"), (await ours.acquire("t", "ifFree")).kind]).toEqual([true, "elsewhere"]);
  home.expire();
  expect((await ours.acquire("t", "ifFree")).kind).toBe("held");
});

test("what the process of the same id left in a container that was started again is free", async () => {
  const home = openHome();
  const before = { ...systemProcesses(), namespace: "7", start: "1" };
  await home.table.acquireLease({ threadId: "t", owner: ownerName(currentNode("before", before)) });
  const ours = home.open(systemProcesses(), false);
  expect(await ours.isHeld("t")).toBe(false);
  expect((await ours.acquire("t", "ifFree")).kind).toBe("held");
});

async function startSleeper(): Promise<ChildProcess & { pid: number }> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  return child as ChildProcess & { pid: number };
}

function ownerOf(pid: number): string {
  const status = systemProcesses().statusOf(pid);
  if (status.kind === "ended" || status.start === null) throw new Error(`process ${pid} cannot be seen`);
  return ownerName(currentNode("x", { ...systemProcesses(), pid, start: status.start }));
}

test.skipIf(!isLinux)("a process is told from one of the same id that began at another time", async () => {
  const { pid } = await startSleeper();
  const owner = ownerOf(pid);
  expect([livenessOf(owner), livenessOf(`${owner}1`)]).toEqual(["alive", "dead"]);
});

test.skipIf(!isLinux)(
  "a process that has ended is dead, also before its parent has waited for it",
  async () => {
    // The child of a suspended shell exits and becomes a zombie.
    const shell = spawn("/bin/sh", ["-c", "sleep 60 & echo $!; wait"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [text] = (await once(shell.stdout, "data")) as [Buffer];
    const pid = Number(text.toString());
    onTestFinished(() => {
      shell.kill("SIGCONT");
      shell.kill("SIGKILL");
    });
    const owner = ownerOf(pid);
    shell.kill("SIGSTOP");
    process.kill(pid, "SIGKILL");
    while (livenessOf(owner) === "alive") await after(1);
    expect(() => process.kill(pid, 0)).not.toThrow();
    expect(livenessOf(owner)).toBe("dead");
  },
);

test("membership is lost when nobody could be told for the time of a lease that the process lives", async () => {
  const clock = createFakeClock(0);
  const home = openHome();
  let isFull = true;
  const table = new Proxy(home.table, {
    get(target, key, receiver) {
      if (key === "renewLeases" && isFull) return () => Promise.reject(new Error("the disk is full"));
      const member: unknown = Reflect.get(target, key, receiver);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  const leases = new FileLeases({ home: home.folder, table, clock, log: silentLogger, lockFiles: false });
  onTestFinished(() => leases.close());
  const { node, signal } = leases.join(currentNode("me"));
  fenceOf(await leases.acquire("t", "ifFree"));
  expect([node.pid, signal.aborted]).toEqual([process.pid, false]);
  const pass = async () => {
    clock.advance(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await pass();
  await pass();
  isFull = false;
  await pass();
  isFull = true;
  await pass();
  await pass();
  expect(signal.aborted).toBe(false);
  await pass();
  expect(signal.aborted).toBe(true);
});
