import {
  type Activity,
  clipHookRun,
  type HookRunQuery,
  MAX_HOOK_RUNS,
  type OwnerFilter,
  SLOT_MS,
  type SlotRange,
  type SpenderCount,
  type SpentSum,
  type StoredHookRun,
} from "../activity.ts";
import { type ActivityState, noActivity, type SpentTokens, stepActivity } from "../lines/activity-step.ts";
import type { RolloutLine } from "../lines/line.ts";

/** Tokens of responses and runs of hooks, counted as their lines are appended. */
export interface ActivityMemory {
  readonly spent: (SpentTokens & { readonly threadId: string })[];
  readonly runs: StoredHookRun[];
  /** By segment of a thread. */
  readonly states: Map<string, ActivityState>;
  last: number;
}

export const emptyActivityMemory = (): ActivityMemory => ({
  spent: [],
  runs: [],
  states: new Map(),
  last: 0,
});

export function countLine(
  memory: ActivityMemory,
  { id: threadId, generation }: { readonly id: string; readonly generation: number },
  line: RolloutLine,
): void {
  const key = `${threadId} ${generation}`;
  const { state, change } = stepActivity(memory.states.get(key) ?? noActivity, line);
  memory.states.set(key, state);
  if (change?.kind === "spent") memory.spent.push({ ...change, threadId });
  if (change?.kind !== "hookRun") return;
  memory.last += 1;
  memory.runs.push({
    number: memory.last,
    threadId,
    turnId: change.turnId,
    run: structuredClone(clipHookRun(change.run)),
  });
  memory.runs.sort((one, other) => other.run.startedAt - one.run.startedAt || other.number - one.number);
  memory.runs.splice(MAX_HOOK_RUNS);
}

export function createMemoryActivity(
  memory: ActivityMemory,
  ownerOf: (threadId: string) => string | null,
): Activity {
  const isOf = (owner: OwnerFilter) => (each: { readonly threadId: string }) =>
    owner === null || ownerOf(each.threadId) === owner;
  const within = ({ from, to }: SlotRange, owner: OwnerFilter) =>
    memory.spent.filter(({ atMs }) => atMs >= from * SLOT_MS && atMs < to * SLOT_MS).filter(isOf(owner));
  return {
    catchUp: async () => ({ pending: 0 }),
    async spent(range, { folder }, owner = null) {
      const sums = new Map<string, SpentSum>();
      for (const each of within(range, owner)) {
        const cwd = folder ? each.cwd : null;
        const key = JSON.stringify([cwd, each.model]);
        sums.set(key, add(sums.get(key) ?? emptySum(cwd, each.model), each));
      }
      return [...sums.values()];
    },
    async spenders(range, { folder, model }, owner = null) {
      const threads = new Map<string, Set<string>>();
      for (const each of within(range, owner)) {
        const key = JSON.stringify([folder ? each.cwd : null, model ? each.model : null]);
        threads.set(key, (threads.get(key) ?? new Set()).add(each.threadId));
      }
      return [...threads].map(([key, { size }]): SpenderCount => {
        const [cwd, name] = JSON.parse(key) as [string | null, string | null];
        return { folder: cwd, model: name, threads: size };
      });
    },
    hookRuns: async ({ owner = null, ...query }) =>
      memory.runs
        .filter(isOf(owner))
        .filter((each) => matches(each, query))
        .slice(0, query.limit),
    hookTimings: async (owner = null) =>
      memory.runs
        .filter(isOf(owner))
        .map(({ run: { eventName, sourcePath, displayOrder, status, durationMs } }) => ({
          eventName,
          sourcePath,
          displayOrder,
          status,
          durationMs,
        })),
  };
}

function matches({ number, threadId, run }: StoredHookRun, query: HookRunQuery): boolean {
  const { before } = query;
  return (
    (query.threadId ?? threadId) === threadId &&
    (query.eventName ?? run.eventName) === run.eventName &&
    (query.status ?? run.status) === run.status &&
    (query.sourcePath ?? run.sourcePath) === run.sourcePath &&
    (query.displayOrder ?? run.displayOrder) === run.displayOrder &&
    (before == null ||
      run.startedAt < before.startedAt ||
      (run.startedAt === before.startedAt && number < before.number))
  );
}

function emptySum(folder: string | null, model: string): SpentSum {
  return {
    folder,
    model,
    turns: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 0,
    reasoningOutputTokens: 0,
    totalTokens: 0,
  };
}

function add(sum: SpentSum, { isFirst, tokens }: SpentTokens): SpentSum {
  return {
    ...sum,
    turns: sum.turns + (isFirst ? 1 : 0),
    inputTokens: sum.inputTokens + tokens.inputTokens,
    cachedInputTokens: sum.cachedInputTokens + tokens.cachedInputTokens,
    cacheWriteInputTokens: sum.cacheWriteInputTokens + tokens.cacheWriteInputTokens,
    outputTokens: sum.outputTokens + tokens.outputTokens,
    reasoningOutputTokens: sum.reasoningOutputTokens + tokens.reasoningOutputTokens,
    totalTokens: sum.totalTokens + tokens.totalTokens,
  };
}
