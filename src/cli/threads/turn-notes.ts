/** Reads the token usage, the plans and the open questions of turns, which are not part of their items. */
import type { TokenUsageBreakdown, TurnPlanStep } from "../../protocol/generated/types.ts";
import type { Decisions, StoredDecision } from "../../store/decisions.ts";
import { readTokenCount } from "../../store/lines/turn-values.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { readPlanCall } from "./turn-plans.ts";

export interface TurnNotes {
  /** By turn id; turns without usage are absent. */
  readonly tokens: ReadonlyMap<string, TokenUsageBreakdown>;
  /** The last plan, by turn id; turns without one are absent. */
  readonly plans: ReadonlyMap<string, readonly TurnPlanStep[]>;
  /** Unanswered questions, oldest first. */
  readonly openQuestions: readonly StoredDecision[];
}

/** A question is open only while its turn runs, so it is among the newest decisions. */
const LATEST_DECISIONS = 200;

/** Reads the notes of the turns from `firstTurnId` on; of all turns where it is null. */
export async function readNotes(
  { threads, decisions }: { readonly threads: ThreadStore; readonly decisions: Decisions },
  threadId: string,
  firstTurnId: string | null,
): Promise<TurnNotes> {
  const latest = await decisions.list({ threadId, limit: LATEST_DECISIONS });
  const openQuestions = latest.filter(({ verdict }) => verdict === null).toReversed();
  const fromSeq = firstTurnId === null ? 0 : await findStart(threads, threadId, firstTurnId);
  return { ...(await readLines(threads, threadId, fromSeq)), openQuestions };
}

const PAGE = 100;

/** The position at which a turn begins, so that a long thread is not read whole for its last turns. */
async function findStart(threads: ThreadStore, threadId: string, turnId: string): Promise<number> {
  let cursor: string | null = null;
  do {
    const page = await threads.timeline(threadId, { cursor, limit: PAGE });
    if (page.kind === "refused") return 0;
    const start = page.data.find((entry) => entry.type === "turnStarted" && entry.turnId === turnId);
    if (start !== undefined) return start.position;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return 0;
}

async function readLines(
  threads: ThreadStore,
  threadId: string,
  fromSeq: number,
): Promise<Pick<TurnNotes, "tokens" | "plans">> {
  const tokens = new Map<string, TokenUsageBreakdown>();
  const plans = new Map<string, readonly TurnPlanStep[]>();
  let turnId: string | null = null;
  let total: number | null = null;
  for await (const { line } of threads.lines(threadId, { from: { generation: 0, seq: fromSeq } })) {
    const { type, payload } = line;
    const named = payload["turn_id"];
    if (typeof named === "string" && (type === "turn_context" || type === "event_msg")) turnId = named;
    if (turnId === null) continue;
    const plan = type === "response_item" ? readPlanCall(payload) : null;
    if (plan !== null) plans.set(turnId, plan);
    const usage = type === "event_msg" && payload["type"] === "token_count" ? readTokenCount(payload) : null;
    if (usage === null) continue;
    // A line repeats the usage where only rate limits have changed.
    if (usage.total.totalTokens !== total) tokens.set(turnId, plus(tokens.get(turnId), usage.last));
    total = usage.total.totalTokens;
  }
  return { tokens, plans };
}

function plus(one: TokenUsageBreakdown | undefined, other: TokenUsageBreakdown): TokenUsageBreakdown {
  if (one === undefined) return other;
  const names = Object.keys(other) as (keyof TokenUsageBreakdown)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as TokenUsageBreakdown;
}
