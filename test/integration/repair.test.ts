/**
 * `heddle doctor` and history files: what it finds, what it repairs, and what it leaves to other programs.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { createUuidSource } from "../../src/base/uuid.ts";
import { openFileStore } from "../../src/store/files/open-file-store.ts";
import { fileText, itemLine, meta, NOW, THREAD } from "../../src/store/files/rollout/rollout.fixture.ts";
import { rolloutPath } from "../../src/store/files/rollout/rollout-name.ts";
import { agentItem, completed, started, userItem } from "../../src/store/lines/lines.fixture.ts";
import { Child } from "../support/child.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

interface Finding {
  readonly subject: string;
  readonly verdict: string;
  readonly says: string;
  readonly advice?: string;
  readonly fault?: { readonly kind: string; readonly state: string };
}

const WHOLE = fileText([
  meta(),
  started("t1"),
  itemLine("t1", userItem("u1", "hello")),
  itemLine("t1", agentItem("a1", "hi")),
  completed("t1", "hi"),
]);

async function openHome(): Promise<TempHome> {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  return home;
}

/** A file that has not been modified for a while. */
function put(home: TempHome, text: string): string {
  const path = rolloutPath(home.home, { threadId: THREAD, createdAtMs: NOW });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, new Date(NOW), new Date(NOW));
  return path;
}

function start(home: TempHome, ...args: readonly string[]): Child {
  return new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "doctor", ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
}

async function doctor(home: TempHome, ...args: readonly string[]) {
  const child = start(home, "--json", ...args);
  const { code } = await child.exit;
  const findings = (JSON.parse(child.stdout) as Finding[]).filter(({ subject }) => subject === "history");
  return { code, findings, faults: findings.flatMap(({ fault }) => (fault === undefined ? [] : [fault])) };
}

describe("heddle doctor", () => {
  test("says what is wrong and what it would do, mends it when told to, and finds nothing after", async () => {
    const home = await openHome();
    const path = put(home, `${WHOLE}{"torn`);
    const looked = await doctor(home);
    expect([looked.code, looked.findings[0]]).toMatchObject([
      1,
      {
        verdict: "problem",
        says: `${path}:6: it was cut off`,
        advice: "heddle doctor --repair would have it left out.",
        fault: { kind: "tornLine", path, line: 6, state: "found" },
      },
    ]);
    expect(readFileSync(path, "utf8")).toBe(`${WHOLE}{"torn`);
    const mended = await doctor(home, "--repair");
    expect([mended.code, mended.faults]).toMatchObject([0, [{ kind: "tornLine", state: "mended" }]]);
    expect(readFileSync(path, "utf8")).toBe(WHOLE);
    const after = await doctor(home, "--repair");
    expect([after.code, after.findings]).toEqual([
      0,
      [{ subject: "history", verdict: "ok", says: "1 file" }],
    ]);
    expect(readdirSync(dirname(path))).toHaveLength(2);
  });

  test("leaves a thread that another process writes to, and the writer does not notice", async () => {
    const home = await openHome();
    const path = put(home, WHOLE);
    const createId = createUuidSource(systemClock);
    const store = openFileStore({ home: home.home, clock: systemClock, log: silentLogger, createId });
    const opened = await store.threads.open(THREAD);
    if (opened.kind === "refused") throw new Error(opened.message);
    await opened.journal.append([started("t2")]);
    const before = readFileSync(path, "utf8");
    appendFileSync(path, "\u0000\n");
    utimesSync(path, new Date(NOW), new Date(NOW));
    const { code, faults, findings } = await doctor(home, "--repair");
    expect([code, faults]).toMatchObject([1, [{ kind: "badLine", state: "left" }]]);
    expect(findings[0]?.advice).toContain("the thread is in use");
    expect(readFileSync(path, "utf8")).toBe(`${before}\u0000\n`);
    await store.close();
    expect((await doctor(home, "--repair")).faults).toMatchObject([{ kind: "badLine", state: "mended" }]);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("killed at any moment leaves the old file or the new one", { timeout: 120_000 }, async () => {
    const home = await openHome();
    const filler = Array.from({ length: 10_000 }, (_, at) =>
      itemLine("t1", agentItem(`a${at}`, "x".repeat(500))),
    );
    const fresh = fileText([meta(), started("t1"), ...filler]);
    const old = `${fresh}{"torn`;
    const path = put(home, old);
    const beside = `${path}.heddle-repair`;
    for (const delay of [0, 10, 40, 80, 160, 320]) {
      put(home, old);
      const child = start(home, "--repair");
      // The critical time begins when the new file appears beside the old one.
      const watcher = watch(dirname(path), (_, name) => {
        if (name === basename(beside)) systemClock.after(delay, () => void child.stop());
      });
      await child.exit;
      watcher.close();
      const text = readFileSync(path, "utf8");
      expect([old, fresh].indexOf(text)).not.toBe(-1);
    }
    if (existsSync(beside)) utimesSync(beside, new Date(NOW), new Date(NOW));
    const last = await doctor(home, "--repair");
    expect(last.faults.filter(({ state }) => state !== "mended")).toEqual([]);
    expect((await doctor(home)).faults).toEqual([]);
    expect(readFileSync(path, "utf8")).toBe(fresh);
  });
});
