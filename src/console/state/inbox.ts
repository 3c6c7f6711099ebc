/** The questions of all threads: open ones, and those that were answered lately. */

import { computed, signal } from "@preact/signals";
import { messageOf } from "../../base/errors.ts";
import type { Client } from "../../client/browser.ts";
import type { Approval, ApprovalListResponse } from "../../protocol/generated/types.ts";
import { whenConnected } from "./server.ts";

/** Answered questions that are shown. */
const LATELY = 30;
const PAGE = 100;
/** Further questions are not read. */
const MAX_OPEN = 1000;

/** The deciders of questions that were asked; other decisions are in the log. */
const ASKED: ReadonlySet<string> = new Set(["client", "timeOut", "interruption", "failure"]);

const approvals = signal<ReadonlyMap<string, Approval>>(new Map());
export const isInboxLoaded = signal(false);
export const inboxFailure = signal<string | null>(null);

export const openQuestions = computed(() =>
  [...approvals.value.values()]
    .filter(({ status }) => status === "open")
    .toSorted((one, other) => one.requestedAt - other.requestedAt),
);
export const answered = computed(() =>
  [...approvals.value.values()]
    .filter(({ status, verdict }) => status !== "open" && (verdict === null || ASKED.has(verdict.by.kind)))
    .toSorted((one, other) => decidedAt(other) - decidedAt(one))
    .slice(0, LATELY),
);

export const findQuestion = (id: string): Approval | undefined => approvals.value.get(id);
export const openOf = (threadId: string): readonly Approval[] =>
  openQuestions.value.filter((approval) => approval.threadId === threadId);

const decidedAt = ({ verdict, requestedAt }: Approval): number => verdict?.decidedAt ?? requestedAt;

export function followInbox(): void {
  let followed: Client | null = null;
  whenConnected((client) => {
    if (client !== followed) client.on("approval/changed", ({ approval }) => put(approval));
    followed = client;
    void load(client);
  });
}

async function load(client: Client): Promise<void> {
  try {
    const found = new Map<string, Approval>();
    let cursor: string | null = null;
    do {
      const page: ApprovalListResponse = await client.request("approval/list", {
        status: "open",
        limit: PAGE,
        cursor,
        subscribe: true,
      });
      for (const approval of page.data) found.set(approval.id, approval);
      cursor = page.nextCursor;
    } while (cursor !== null && found.size < MAX_OPEN);
    const closed = await client.request("approval/list", { status: "closed", limit: PAGE });
    for (const approval of closed.data) found.set(approval.id, approval);
    approvals.value = found;
    inboxFailure.value = null;
  } catch (error) {
    inboxFailure.value = messageOf(error);
  } finally {
    isInboxLoaded.value = true;
  }
}

function put(approval: Approval): void {
  approvals.value = new Map([...approvals.value, [approval.id, approval]]);
}

export async function answer(client: Client, id: string, decision: unknown): Promise<Approval> {
  const { approval } = await client.request("approval/answer", { id, decision });
  put(approval);
  return approval;
}
