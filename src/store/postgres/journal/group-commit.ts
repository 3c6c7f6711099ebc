/**
 * Appends of all threads of this process leave together: what arrives while one statement is under way is the next one.
 * An append whose answer was lost is sent again at the same position; if it was stored already, the lines there are
 * those that were sent.
 */
import { type Clock, wait } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import { inBackground } from "../../../base/tasks.ts";
import type { Effect } from "../../journal.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import { ConnectionLost } from "../connection/database-fault.ts";
import {
  type AppendGroup,
  type AppendLane,
  AppendQueue,
  type AppendRequest,
  appendUnavailable,
  takenOver,
} from "./append-queue.ts";
import { appendAll, type ThreadAppend } from "./append-statement.ts";
import { isStored } from "./stored-append.ts";

export interface GroupCommit {
  submit(lane: AppendLane, request: AppendRequest): void;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
}

export interface GroupCommitOptions {
  readonly database: PostgresDatabase;
  readonly nodeId: string;
  /** Deadlines pass in real time. */
  readonly clock: Clock;
  readonly log: Logger;
  readonly applyEffects: (
    statements: Statements,
    threadId: string,
    effects: readonly Effect[],
  ) => Promise<void>;
  /** Called after effects were stored. */
  readonly onEffects: () => void;
}

const RETRY_AFTER_MS = 50;

export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { clock, log, database } = options;
  const queue = new AppendQueue(clock);
  const never = new AbortController().signal;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    // Callers of the same tick go along.
    await Promise.resolve();
    try {
      while (!queue.isEmpty) await commit(queue.takeBatch());
    } finally {
      running = null;
    }
  }

  async function commit(batch: readonly AppendGroup[]): Promise<void> {
    let groups = batch;
    while (groups.length > 0) {
      try {
        groups = await settleAll(groups, await write(options, groups));
      } catch (error) {
        groups = await afterFault(groups, error);
      }
      groups = groups.filter(({ isOver }) => !isOver());
    }
  }

  /** The groups to write again. */
  async function settleAll(
    groups: readonly AppendGroup[],
    kept: ReadonlySet<string>,
  ): Promise<AppendGroup[]> {
    const again: AppendGroup[] = [];
    for (const group of groups) {
      const { lane, mayBeStored } = group;
      if (kept.has(lane.threadId) || (mayBeStored && (await isStored(database, toAppend(group))))) {
        queue.succeed(lane);
        continue;
      }
      const before = lane.fence()?.epoch;
      const fence = await lane.refence();
      if (fence !== null && fence.epoch !== before) again.push({ ...group, mayBeStored: false });
      else queue.fail(lane, takenOver(lane.threadId));
    }
    return again;
  }

  async function afterFault(groups: readonly AppendGroup[], error: unknown): Promise<readonly AppendGroup[]> {
    if (error instanceof ConnectionLost) {
      if (error.mayHaveRun) for (const group of groups) group.mayBeStored = true;
      await wait(clock, RETRY_AFTER_MS, never);
      return groups;
    }
    const [first] = groups;
    if (groups.length === 1 && first !== undefined) {
      const { lane } = first;
      log.error("lines could not be stored", { threadId: lane.threadId, reason: messageOf(error) });
      queue.fail(lane, appendUnavailable("other", `the database refused the lines: ${messageOf(error)}`));
      return [];
    }
    // Lines that the database refuses must not keep those of other threads from being stored.
    for (const group of groups) if (!group.isOver()) await commit([group]);
    return [];
  }

  return {
    submit(lane, request) {
      if (!queue.add(lane, request) || running !== null) return;
      running = run();
      inBackground(log, "storing lines", running);
    },
    idle: async () => running ?? undefined,
  };
}

/** Effects are in the same commit as their lines. */
async function write(
  { database, nodeId, applyEffects, onEffects }: GroupCommitOptions,
  groups: readonly AppendGroup[],
): Promise<ReadonlySet<string>> {
  const appends = groups.map(toAppend);
  const effects = new Map(
    groups.map(({ lane, requests }) => [lane.threadId, requests.flatMap((request) => request.effects)]),
  );
  if ([...effects.values()].every(({ length }) => length === 0))
    return appendAll({ query: database.queryOnce }, nodeId, appends);
  const kept = await database.transaction(async (statements) => {
    const kept = await appendAll(statements, nodeId, appends);
    for (const [threadId, wanted] of effects)
      if (kept.has(threadId) && wanted.length > 0) await applyEffects(statements, threadId, wanted);
    return kept;
  });
  onEffects();
  return kept;
}

/** All appends of a group as one. */
function toAppend({ lane, requests }: AppendGroup): ThreadAppend {
  const [first] = requests;
  const last = requests.at(-1);
  if (first === undefined || last === undefined) throw new Error("a group has an append");
  return {
    threadId: lane.threadId,
    epoch: lane.fence()?.epoch ?? 0,
    expected: first.expected,
    next: last.next,
    segment: first.segment,
    lines: requests.flatMap(({ lines }) => lines),
    changes: requests.flatMap(({ changes }) => changes),
    thread: last.thread,
  };
}
