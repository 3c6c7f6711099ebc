/**
 * A night of queued turns: they are queued on the command line, and `heddle serve` starts them, also across
 * crashes.
 */
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

function run(home: TempHome, args: readonly string[]): Child {
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  child.endInput();
  return child;
}

async function call(home: TempHome, ...args: readonly string[]): Promise<string> {
  const child = run(home, args);
  expect([(await child.exit).code, child.stderr]).toEqual([0, ""]);
  return child.stdout;
}

async function serve(home: TempHome): Promise<Child> {
  const child = run(home, ["serve", "--listen=ws://127.0.0.1:0"]);
  onTestFinished(() => child.stop().then(() => {}));
  await child.stderrMatch(/listening on {2}ws:/u, DEADLINE);
  return child;
}

interface Logged {
  readonly status: string;
  readonly preview: string;
  readonly startedAt: number;
  readonly durationMs: number | null;
}

const logOf = async (home: TempHome): Promise<readonly Logged[]> =>
  (JSON.parse(await call(home, "queue", "log", "--json")) as { turns: Logged[] }).turns.toReversed();

/** The ended turns, oldest first. */
const ended = (home: TempHome, count: number) =>
  vi.waitFor(
    async () => {
      const turns = await logOf(home);
      expect(turns.filter(({ status }) => status !== "inProgress").length).toBe(count);
      return turns;
    },
    { timeout: DEADLINE, interval: 200 },
  );

test("turns for a new thread wait for a server, start with it, and continue after it was killed", async () => {
  const home = await openHome();
  const added = await call(home, "queue", "add", "--new", "--name", "nightly", "hello");
  expect(added).toMatch(
    /^new thread: \S+\nqueued: \S+\nno server on this home will start it by itself: run/u,
  );
  expect(await call(home, "queue", "list")).toContain("waits: no server on this home starts queued turns");
  await call(home, "threads", "rename", "nightly", "night", "shift");

  const first = await serve(home);
  expect(await ended(home, 1)).toMatchObject([{ status: "completed", preview: "hello" }]);
  const asked = Date.now();
  const later = JSON.parse(
    await call(home, "queue", "add", "--json", "night shift", "--not-before", "+3s", "later"),
  ) as { willStart: boolean; heldUpBy: { type: string } };
  expect(later).toMatchObject({ willStart: true, heldUpBy: { type: "notBefore" } });
  const behind = await call(home, "queue", "add", "night shift", "behind");
  expect(behind).toMatch(
    /a server starts it; for now the queue waits: its first turn starts no sooner than/u,
  );
  first.signal("SIGKILL");
  await first.exit;

  await serve(home);
  const turns = await ended(home, 3);
  expect(turns.map(({ preview, status }) => `${preview} ${status}`)).toEqual([
    "hello completed",
    "later completed",
    "behind completed",
  ]);
  expect(turns[1]?.startedAt).toBeGreaterThanOrEqual(Math.floor((asked + 3000) / 1000));
  expect(await call(home, "queue", "log", "night shift", "--limit", "1")).toMatch(
    /^\S+Z {2}completed\s+\d+\.\ds\s+\S+ {2}\S+ {2}behind\n$/u,
  );
});
