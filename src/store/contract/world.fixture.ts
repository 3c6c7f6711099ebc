// What the contract of a store is tried on: several processes with the same threads, and threads as the engine writes
// them.

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

export interface Ground {
  readonly createId: () => string;
  /** What the clock of the stores says. */
  now(): number;
  /** Lets time pass, with what it brings. */
  advance(ms: number): void;
  origin(members?: Partial<ThreadOrigin>): ThreadOrigin;
}

export interface World extends Ground {
  /** The store of one more process. */
  open(): Promise<LeasedStore>;
  /** The store of a process that ends without giving anything back, as others see it. */
  openDead(): Promise<LeasedStore>;
}

/** A store with its leases, which servers do not see. */
export interface LeasedStore extends Store {
  readonly leases: Leases;
  /** What happens to the queue of a thread that is deleted. */
  forgetQueue(threadId: string): Promise<void>;
}

export type OpenWorld = (options?: { readonly maxDecisions?: number | undefined }) => World;

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
  journal: Journal,
  turnId: string,
  said = "hello",
  answered = "hi",
): Promise<void> {
  const outcome = await journal.append(turnLines(journal.threadId, turnId, said, answered));
  if (outcome.kind !== "kept") throw new Error(outcome.message);
}

/** A finished thread with these turns, each saying its own name. */
export async function makeThread(
  ground: Ground,
  threads: ThreadStore,
  turns: readonly string[],
  members: Partial<ThreadOrigin> = {},
): Promise<string> {
  const journal = threads.create(ground.origin(members));
  for (const turn of turns) await writeTurn(journal, turn, `say ${turn}`, `did ${turn}`);
  await journal.close();
  return journal.threadId;
}

/** What is no refusal. */
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
