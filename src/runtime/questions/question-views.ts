/** Pages of questions and decisions, as clients see them. */
import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Approval } from "../../protocol/generated/types.ts";
import type { Decisions, OpenQuestion, StoredDecision } from "../../store/decisions.ts";
import { showDecision, showOpen } from "./show-question.ts";

export interface InboxQuery {
  readonly status: "open" | "closed" | "all";
  readonly threadId: string | null;
  /** The number of the last decision of the page before; null for the first page. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface InboxPage {
  readonly data: Approval[];
  readonly nextCursor: string | null;
}

export interface QuestionViews {
  /** Open questions, oldest first. */
  listOpen(decisions: Decisions, query: InboxQuery): Promise<InboxPage>;
  /** Decisions, newest first; with the status `all`, open ones among them. */
  listAll(decisions: Decisions, query: InboxQuery): Promise<InboxPage>;
  show(decisions: Decisions, entry: StoredDecision): Promise<Approval>;
}

export interface QuestionViewOptions {
  readonly find: Engine["find"];
  readonly clock: Pick<Clock, "now">;
}

export function createQuestionViews({ find, clock }: QuestionViewOptions): QuestionViews {
  const open = (question: OpenQuestion): Approval =>
    showOpen(question, find(question.threadId) ?? null, clock.now());

  async function show(decisions: Decisions, entry: StoredDecision): Promise<Approval> {
    const question = entry.verdict === null ? await findOpen(decisions, entry) : null;
    return question === null ? showDecision(entry, clock.now()) : open(question);
  }

  return {
    show,
    async listOpen(decisions, { threadId, cursor, limit }) {
      const found = await decisions.openQuestions({
        ...(threadId !== null && { threadId }),
        after: Number(cursor ?? 0),
        limit: limit + 1,
      });
      const page = found.slice(0, limit);
      return { data: page.map(open), nextCursor: cursorAfter(page, found) };
    },
    async listAll(decisions, { status, threadId, cursor, limit }) {
      const found = await decisions.list({
        ...(threadId !== null && { threadId }),
        ...(cursor !== null && { before: Number(cursor) }),
        limit: limit + 1,
      });
      const page = found.slice(0, limit);
      const shown = status === "all" ? page : page.filter(({ verdict }) => verdict !== null);
      const data = await Promise.all(shown.map((entry) => show(decisions, entry)));
      return { data, nextCursor: cursorAfter(page, found) };
    },
  };
}

function cursorAfter(page: readonly { readonly number: number }[], found: readonly unknown[]): string | null {
  const last = found.length > page.length ? page.at(-1) : undefined;
  return last === undefined ? null : String(last.number);
}

async function findOpen(
  decisions: Decisions,
  { number, threadId }: StoredDecision,
): Promise<OpenQuestion | null> {
  const [found] = await decisions.openQuestions({ threadId, after: number - 1, limit: 1 });
  return found?.number === number ? found : null;
}
