import fc from "fast-check";
import { expect, test } from "vitest";
import type { HookRunSummary, ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { ThreadModel } from "./thread-model.ts";

const turnOf = (id: string, more: Partial<Turn> = {}): Turn => ({
  id,
  rootTurnId: null,
  items: [],
  itemsView: "full",
  status: "completed",
  error: null,
  startedAt: 1,
  completedAt: 2,
  durationMs: 1000,
  hookRuns: [],
  ...more,
});

const messageOf = (id: string, text: string): ThreadItem => ({
  type: "agentMessage",
  id,
  text,
  phase: null,
  memoryCitation: null,
  delivery: null,
  questions: null,
});

const hookOf = (runId: string, startedAt: number): HookRunSummary =>
  ({ id: "h", runId, startedAt, completedAt: startedAt, entries: [] }) as unknown as HookRunSummary;

type Notices = Parameters<ThreadModel["apply"]>[0][];

/** A thread as its durable events, in order, and the history that they make. */
const threads = fc
  .array(fc.tuple(fc.array(fc.string({ maxLength: 5 }), { maxLength: 4 }), fc.boolean()), {
    minLength: 1,
    maxLength: 5,
  })
  .map((turns) => {
    const history = turns.map(([texts, isFailed], at) => {
      const id = `t${at}`;
      const items = texts.map((text, index) => messageOf(`${id}i${index}`, text));
      return turnOf(id, { items, status: isFailed ? "failed" : "completed" });
    });
    const events = history.flatMap((turn): Notices => {
      const { id: turnId } = turn;
      const base = { threadId: "thread", turnId };
      return [
        {
          method: "turn/started",
          params: { threadId: "thread", turn: { ...turn, items: [], status: "inProgress" } },
        },
        ...turn.items.map((item) => ({
          method: "item/completed" as const,
          params: { ...base, item, completedAtMs: 1 },
        })),
        { method: "turn/completed", params: { threadId: "thread", turn: { ...turn, items: [] } } },
      ];
    });
    return { history, events };
  });

const view = ({ turns }: ThreadModel) =>
  turns.map(({ id, status, entries }) => ({
    id,
    status,
    items: entries.map((entry) => (entry.kind === "item" ? [entry.item, entry.isOpen] : entry.run)),
  }));

test("a replay from any position over a page of the history is the same as all events", () => {
  fc.assert(
    fc.property(threads, fc.nat(), fc.nat(), ({ history, events }, pageFrom, replayFrom) => {
      const live = new ThreadModel();
      for (const event of events) live.apply(event);
      const paged = new ThreadModel();
      const first = pageFrom % history.length;
      paged.addPage(history.slice(first));
      for (const event of events.slice(replayFrom % events.length)) {
        const { turn, turnId } = event.params as { turn?: Turn; turnId?: string };
        if (Number((turnId ?? turn?.id ?? "t0").slice(1)) >= first) paged.apply(event);
      }
      paged.addPage(history.slice(0, first));
      expect(view(paged)).toEqual(view(live));
    }),
  );
});

test("deltas grow an open item, and nothing else", () => {
  const model = new ThreadModel();
  const base = { threadId: "thread", turnId: "t0" };
  const delta = (text: string) =>
    model.apply({ method: "item/agentMessage/delta", params: { ...base, itemId: "i", delta: text } });
  expect(delta("lost")).toBe(false);
  model.apply({ method: "item/started", params: { ...base, item: messageOf("i", ""), startedAtMs: 1 } });
  expect([delta("He"), delta("llo")]).toEqual([true, true]);
  model.apply({
    method: "item/completed",
    params: { ...base, item: messageOf("i", "Hello!"), completedAtMs: 2 },
  });
  expect(delta(" late")).toBe(false);
  model.apply({ method: "item/started", params: { ...base, item: messageOf("i", ""), startedAtMs: 1 } });
  expect(model.turns[0]?.entries).toMatchObject([{ item: { text: "Hello!" }, isOpen: false }]);
});

test("a hook stands where it ran, also when it is read from the history", () => {
  const model = new ThreadModel();
  const at = (id: string, ms: number) => ({ ...messageOf(id, id), startedAtMs: ms, completedAtMs: ms });
  model.addPage([
    turnOf("t0", { items: [at("a", 1000), at("b", 5000)], hookRuns: [hookOf("h1", 2), hookOf("h2", 9)] }),
  ]);
  expect(model.turns[0]?.entries.map(({ id }) => id)).toEqual(["a", "h1", "b", "h2"]);
});

test("the end of a turn ends what it was producing", () => {
  const model = new ThreadModel();
  const base = { threadId: "thread", turnId: "t0" };
  model.apply({ method: "item/started", params: { ...base, item: messageOf("i", ""), startedAtMs: 1 } });
  model.apply({
    method: "turn/completed",
    params: { threadId: "thread", turn: turnOf("t0", { status: "interrupted" }) },
  });
  expect(model.turns[0]).toMatchObject({ status: "interrupted", entries: [{ isOpen: false }] });
});
