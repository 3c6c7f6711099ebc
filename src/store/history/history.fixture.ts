// A home of its own for each test, with histories on it and threads as the engine would write them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock } from "../../base/clock.ts";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import type { HistoryIndex } from "../history-index.ts";
import { createMemoryIndex } from "../memory/memory-index.ts";
import type { LineBody } from "../rollout/line.ts";
import { agentItem, completed, started, userItem } from "../rollout/rollout.fixture.ts";
import type { ThreadOrigin } from "../rollout/thread-lines.ts";
import { itemCompleted } from "../rollout/turn-lines.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { type History, type HistoryOptions, openHistory } from "./history.ts";
import type { ThreadJournal } from "./journal.ts";

export const START = Date.UTC(2026, 10, 15, 9, 0, 0);

export interface Ground {
  readonly home: string;
  readonly clock: Clock;
  /** Lets time pass, with what it brings. */
  advance(ms: number): void;
  readonly createId: () => string;
  open(options?: Partial<HistoryOptions>): History;
  origin(members?: Partial<ThreadOrigin>): ThreadOrigin;
}

export function createGround(): Ground {
  const home = mkdtempSync(join(tmpdir(), "heddle-history-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const clock = createFakeClock(START);
  const createId = createUuidSource(clock);
  let opened = 0;
  return {
    home,
    clock,
    createId,
    advance: (ms) => clock.advance(ms),
    open(options = {}) {
      const index = options.index ?? createMemoryIndex();
      const owner = `${process.pid}@test#${++opened}`;
      const shared = { home, clock, createId, owner, log: silentLogger, lockFiles: false };
      const history = openHistory({ ...shared, ...options, index });
      onTestFinished(() => history.close());
      return history;
    },
    origin: (members = {}) => ({
      threadId: createId(),
      createdAtMs: clock.now(),
      cwd: "/repo",
      workspaceRoots: ["/repo"],
      originator: "test",
      version: "1.0.0",
      source: "vscode",
      modelProvider: "mock",
      baseInstructions: "Be brief.",
      historyMode: "paginated",
      ...members,
    }),
  };
}

export function sqliteIndex(home: string): HistoryIndex {
  const store = openSqliteStore(join(home, "heddle.sqlite"));
  onTestFinished(() => store.close());
  return store.history;
}

/** The lines of a turn in which one thing was said and another answered. */
export function turnLines(threadId: string, turnId: string, said: string, answered: string): LineBody[] {
  const item = (each: Parameters<typeof itemCompleted>[0]["item"]) =>
    itemCompleted({ threadId, turnId, item: each, startedAtMs: 1, completedAtMs: 2 });
  return [
    started(turnId),
    item(userItem(`${turnId}-user`, said)),
    item(agentItem(`${turnId}-agent`, answered)),
    completed(turnId, answered),
  ];
}

export async function writeTurn(
  journal: ThreadJournal,
  turnId: string,
  said = "hello",
  answered = "hi",
): Promise<void> {
  const outcome = await journal.append(turnLines(journal.threadId, turnId, said, answered));
  if (outcome.kind === "failed") throw new Error(outcome.fault.message);
}

/** A finished thread with these turns, each saying its own name. */
export async function makeThread(
  ground: Ground,
  history: History,
  turns: readonly string[],
  members: Partial<ThreadOrigin> = {},
): Promise<string> {
  const journal = history.create(ground.origin(members));
  for (const turn of turns) await writeTurn(journal, turn, `say ${turn}`, `did ${turn}`);
  await journal.close();
  return journal.threadId;
}
