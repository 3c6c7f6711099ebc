// Harness of the store contract: several processes on the same threads, and threads as the engine writes them.

import type { Turn } from "../../protocol/generated/types.ts";
import type { Journal } from "../journal.ts";
import type { Leases } from "../leases.ts";
import type { LineBody } from "../lines/line.ts";
import { agentItem, completed, started, userItem } from "../lines/lines.fixture.ts";
import type { DatedOrigin, ThreadOrigin } from "../lines/thread-lines.ts";
import { itemCompleted } from "../lines/turn-lines.ts";
import type { StoreRefusal } from "../refusal.ts";
import type { Store } from "../store.ts";
import type { Page, ThreadListQuery, ThreadStore } from "../thread-store.ts";

export interface HarnessContext {
  readonly createId: () => string;
  /** The time of the stores' clock. */
  now(): number;
  /** Advances the clock and runs due timers. */
  advance(ms: number): void;
  origin(members?: Partial<ThreadOrigin>): ThreadOrigin;
}

export interface StoreHarness extends HarnessContext {
  /** Opens the store of one more process. */
  open(): Promise<LeasedStore>;
  /** Opens the store of a process that others see as dead, without having released anything. */
  openDead(): Promise<LeasedStore>;
  /** Resolves once every store was notified of what the others have changed. */
  settled(): Promise<void>;
}

/** A store with its leases, which servers do not access. */
export interface LeasedStore extends Store {
  readonly leases: Leases;
  /** Deletes the queue and the tokens of a thread and disables its schedules, as the deletion of the thread does. */
  forgetQueue(threadId: string): Promise<void>;
}

export type CreateHarness = (options?: {
  readonly maxDecisions?: number | undefined;
  readonly maxDeliveries?: number | undefined;
}) => StoreHarness;

export function originWith(
  { now, createId }: { readonly now: number; readonly createId: () => string },
  members: Partial<ThreadOrigin> = {},
): DatedOrigin {
  return {
    threadId: createId(),
    createdAtMs: now,
    cwd: "/repo",
    workspaceRoots: ["/repo"],
    originator: "test",
    version: "1.0.0",
    source: "vscode",
    modelProvider: "mock",
    baseInstructions: "Be brief.",
    ...members,
  };
}

/** The lines of a turn with one user message and one agent message. */
export function turnLines(threadId: string, turnId: string, userText: string, agentText: string): LineBody[] {
  const item = (each: Parameters<typeof itemCompleted>[0]["item"]) =>
    itemCompleted({ threadId, turnId, item: each, startedAtMs: 1, completedAtMs: 2 });
  return [
    started(turnId),
    item(userItem(`${turnId}-user`, userText)),
    item(agentItem(`${turnId}-agent`, agentText)),
    completed(turnId, agentText),
  ];
}

export async function writeTurn(
  journal: Journal,
  turnId: string,
  userText = "hello",
  agentText = "hi",
): Promise<void> {
  const outcome = await journal.append(turnLines(journal.threadId, turnId, userText, agentText));
  if (outcome.kind !== "kept") throw new Error(outcome.message);
}

/** Creates a closed thread with these turns; the messages quote the turn ids. */
export async function createFinishedThread(
  context: HarnessContext,
  threads: ThreadStore,
  turns: readonly string[],
  members: Partial<ThreadOrigin> = {},
): Promise<string> {
  const journal = threads.create(context.origin(members));
  for (const turn of turns) await writeTurn(journal, turn, `say ${turn}`, `did ${turn}`);
  await journal.close();
  return journal.threadId;
}

/** Throws for a refusal. */
export function accepted<T extends { readonly kind: string }>(
  answer: T | StoreRefusal,
): Exclude<T, StoreRefusal> {
  if (answer.kind === "refused") throw new Error((answer as StoreRefusal).message);
  return answer as Exclude<T, StoreRefusal>;
}

export function pageOf<T>(answer: Page<T> | StoreRefusal): Page<T> {
  return accepted(answer);
}

export async function listed(threads: ThreadStore, query: Partial<ThreadListQuery> = {}): Promise<string[]> {
  return pageOf(await threads.list({ archived: false, ...query })).data.map(({ threadId }) => threadId);
}

function outline(turns: readonly Turn[]): string[] {
  return turns.map((turn) => `${turn.id} ${turn.status} ${turn.items.map(({ id }) => id).join(" ")}`.trim());
}

export async function turnsOf(
  threads: ThreadStore,
  threadId: string,
  direction: "asc" | "desc" = "asc",
): Promise<string[]> {
  return outline(pageOf(await threads.turns(threadId, { direction })).data);
}

export async function opened(threads: ThreadStore, threadId: string, options = {}): Promise<Journal> {
  return accepted(await threads.open(threadId, options)).journal;
}
