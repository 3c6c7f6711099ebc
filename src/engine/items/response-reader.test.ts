import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelEvent } from "../../model/model.ts";
import type { ResponseItem, ThreadItem } from "../../protocol/generated/types.ts";
import { createResponseReader } from "./response-reader.ts";
import { rawAgentText, toThreadItems } from "./thread-items.ts";

interface Seen {
  readonly method: string;
  readonly item?: ThreadItem;
  readonly itemId?: string;
  readonly delta?: string;
}

function openReader(isPlanMode = false) {
  const seen: Seen[] = [];
  let ids = 0;
  const reader = createResponseReader({
    threadId: "thread",
    turnId: "turn",
    isPlanMode,
    emit: (method, params) => void seen.push({ method, ...(params as object) }),
    clock: { now: () => 5, monotonic: () => 5 },
    createId: () => `id${(ids += 1)}`,
    warn() {},
  });
  return { reader, seen };
}

const message = (id: string | null, text: string): ResponseItem => ({
  type: "message",
  role: "assistant",
  ...(id === null ? {} : { id }),
  content: text === "" ? [] : [{ type: "output_text", text }],
});
const added = (item: ResponseItem): ModelEvent => ({ type: "itemAdded", item });
const done = (item: ResponseItem): ModelEvent => ({ type: "itemDone", item });
const delta = (itemId: string | null, text: string): ModelEvent => ({
  type: "textDelta",
  itemId,
  delta: text,
});

/** A summary of the notifications: starts and ends of items with their text, and deltas. */
function play(events: readonly ModelEvent[], isPlanMode = false): string[] {
  const { reader, seen } = openReader(isPlanMode);
  for (const event of events) reader.read(event);
  return seen.map(({ method, item, itemId, delta: text }) => {
    const verb = method.replace("item/", "");
    const words = item !== undefined && "text" in item ? ` ${JSON.stringify(item.text)}` : "";
    return item === undefined ? `${verb} ${itemId} ${JSON.stringify(text)}` : `${verb} ${item.id}${words}`;
  });
}

describe("a response that arrives", () => {
  it("shows a message from its first word to its last", () => {
    expect(
      play([added(message("m", "")), delta("m", "Hel"), delta("m", "lo"), done(message("m", "Hello"))]),
    ).toStrictEqual([
      'started m ""',
      'agentMessage/delta m "Hel"',
      'agentMessage/delta m "lo"',
      'completed m "Hello"',
    ]);
  });

  it("shows a message that comes whole", () => {
    expect(play([delta(null, "lost"), done(message("m", "kept"))])).toStrictEqual([
      'started m "kept"',
      'completed m "kept"',
    ]);
  });

  it("gives a message without an id one and the same, also in the history", () => {
    const { reader, seen } = openReader();
    for (const event of [added(message(null, "")), delta(null, "x"), done(message(null, "x"))])
      reader.read(event);
    expect(seen.map(({ item, itemId }) => item?.id ?? itemId)).toStrictEqual([
      "msg_id1",
      "msg_id1",
      "msg_id1",
    ]);
    expect(reader.items).toStrictEqual([message("msg_id1", "x")].map((item) => ({ ...item })));
    expect(reader.lastMessage()).toMatchObject({
      id: "msg_id1",
      text: "x",
      startedAtMs: 5,
      completedAtMs: 5,
    });
  });

  it("ends with the last message that answers", () => {
    const { reader } = openReader();
    const commentary = { ...message("m3", "Looking"), phase: "commentary" } as ResponseItem;
    for (const item of [message("m1", "Answer"), message("m2", " "), commentary]) reader.read(done(item));
    expect(reader.lastMessage()).toMatchObject({ id: "m1", text: "Answer" });
  });

  it("hides citations, and holds back what may become one", () => {
    const text = "Hi <oai-mem-citation>hidden</oai-mem-citation> there <oai-m";
    const pieces = ["Hi <oai", "-mem-citation>hid", "den</oai-mem-cit", "ation> there <oai-m"];
    const events = [
      added(message("m", "")),
      ...pieces.map((each) => delta("m", each)),
      done(message("m", text)),
    ];
    expect(play(events)).toStrictEqual([
      'started m ""',
      'agentMessage/delta m "Hi "',
      'agentMessage/delta m " there "',
      'agentMessage/delta m "<oai-m"',
      'completed m "Hi  there <oai-m"',
    ]);
  });

  it("shows reasoning part by part", () => {
    const item: ResponseItem = {
      type: "reasoning",
      id: "rs",
      summary: [{ type: "summary_text", text: "sum" }],
    };
    const { reader, seen } = openReader();
    const events: ModelEvent[] = [
      added({ ...item, summary: [] }),
      { type: "reasoningSummaryPartAdded", itemId: "rs", index: 0 },
      { type: "reasoningSummaryDelta", itemId: "rs", delta: "sum", index: 0 },
      { type: "reasoningTextDelta", itemId: null, delta: "raw", index: 0 },
      done(item),
    ];
    for (const event of events) reader.read(event);
    const of = { threadId: "thread", turnId: "turn", itemId: "rs" };
    expect(seen.slice(1, 4)).toStrictEqual([
      { method: "item/reasoning/summaryPartAdded", ...of, summaryIndex: 0 },
      { method: "item/reasoning/summaryTextDelta", ...of, delta: "sum", summaryIndex: 0 },
      { method: "item/reasoning/textDelta", ...of, delta: "raw", contentIndex: 0 },
    ]);
    expect(seen.at(-1)?.item).toMatchObject({ type: "reasoning", summary: ["sum"], content: [] });
  });

  it("makes a plan an item of its own in Plan mode", () => {
    const text = "Preface\n<proposed_plan>\n# Plan\n- a\n</proposed_plan>\nPost";
    const pieces = ["Preface\n<propo", "sed_plan>\n# Plan\n- ", "a\n</proposed_plan>\nPo", "st"];
    const events = [
      added(message("m", "")),
      ...pieces.map((each) => delta("m", each)),
      done(message("m", text)),
    ];
    expect(play(events, true)).toStrictEqual([
      'started m ""',
      'agentMessage/delta m "Preface\\n"',
      'started turn-plan ""',
      'plan/delta turn-plan "# Plan\\n- "',
      'plan/delta turn-plan "a\\n"',
      'agentMessage/delta m "Po"',
      'agentMessage/delta m "st"',
      'completed turn-plan "# Plan\\n- a\\n"',
      'completed m "Preface\\nPost"',
    ]);
  });

  it("shows no message that is nothing but a plan, and only the first plan", () => {
    const plan = (letter: string) => `<proposed_plan>\n${letter}\n</proposed_plan>\n`;
    const events = [
      added(message("m1", "")),
      delta("m1", plan("A")),
      done(message("m1", plan("A"))),
      done(message("m2", `again\n${plan("B")}`)),
    ];
    expect(play(events, true)).toStrictEqual([
      'started turn-plan ""',
      'plan/delta turn-plan "A\\n"',
      'completed turn-plan "A\\n"',
      'started m2 ""',
      'completed m2 "again\\n"',
    ]);
  });
});

const words = fc
  .array(
    fc.constantFrom(
      "<oai-mem-citation>",
      "</oai-mem-citation>",
      "<proposed_plan>\n",
      "</proposed_plan>\n",
      "\n",
      "word ",
      "<oai",
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

const anyItem = fc.oneof(
  words.map((text) => message("", text)),
  fc.constantFrom<ResponseItem>(
    { type: "reasoning", summary: [] },
    { type: "web_search_call" },
    { type: "function_call", name: "f", arguments: "{}", call_id: "c" },
    JSON.parse('{"type":"new_kind"}') as ResponseItem,
  ),
);

/** Items with distinct ids. */
const response = fc
  .array(anyItem, { maxLength: 5 })
  .map((items) => items.map((item, index) => ({ ...item, id: `item${index}` }) as ResponseItem));

function eventsOf(item: ResponseItem, cut: number): ModelEvent[] {
  const text = rawAgentText(item);
  if (text === null) return [added(item), done(item)];
  const [first, second] = [text.slice(0, cut), text.slice(cut)];
  return [
    added({ ...item, content: [] } as ResponseItem),
    delta(itemIdOf(item), first),
    delta(itemIdOf(item), second),
    done(item),
  ];
}

function itemIdOf(item: ResponseItem): string | null {
  return "id" in item ? (item.id ?? null) : null;
}

function withoutTimes(item: ThreadItem): ThreadItem {
  const { startedAtMs, completedAtMs, ...rest } = item;
  expect([startedAtMs, completedAtMs]).toStrictEqual([5, 5]);
  return rest;
}

describe("whatever a provider streams", () => {
  it("ends as the mapping of what is recorded, in any order of events", () => {
    fc.assert(
      fc.property(
        response,
        fc.nat({ max: 20 }),
        fc.boolean(),
        fc.infiniteStream(fc.nat()),
        (items, cut, isPlanMode, order) => {
          const events = items
            .flatMap((item) => eventsOf(item, cut))
            .map((event) => ({ event, at: order.next().value }))
            .toSorted((a, b) => a.at - b.at)
            .map(({ event }) => event);
          const { reader, seen } = openReader(isPlanMode);
          for (const event of events) reader.read(event);
          const ended = seen.flatMap(({ method, item }) =>
            method === "item/completed" && item ? [withoutTimes(item)] : [],
          );
          const options = { createId: () => "", planId: isPlanMode ? "turn-plan" : null, warn() {} };
          const mapped = reader.items.flatMap((item) => toThreadItems(item, options));
          const firstPlan = mapped.find(({ type }) => type === "plan");
          expect(ended).toStrictEqual(mapped.filter((item) => item.type !== "plan" || item === firstPlan));
          const starts = seen.flatMap(({ method, item }) => (method === "item/started" ? [item?.id] : []));
          expect(new Set(starts).size).toBe(starts.length);
          expect(ended.every(({ id }) => starts.includes(id))).toBe(true);
        },
      ),
    );
  });

  it("tells in pieces what it tells at the end, where events come as they should", () => {
    fc.assert(
      fc.property(words, fc.nat({ max: 40 }), fc.boolean(), (text, cut, isPlanMode) => {
        const { reader, seen } = openReader(isPlanMode);
        for (const event of eventsOf(message("m", text), cut)) reader.read(event);
        const end = seen.find(({ method, item }) => method === "item/completed" && item?.id === "m")?.item;
        const pieces = seen.flatMap(({ itemId, delta: piece }) => (itemId === "m" ? [piece] : [])).join("");
        expect(pieces.trim()).toBe(end?.type === "agentMessage" ? end.text.trim() : "");
      }),
    );
  });

  it("takes a time that grows as its items do, in whatever order they end", () => {
    const { reader } = openReader();
    const ids = Array.from({ length: 30_000 }, (_none, at) => `m${at}`);
    const startedAt = performance.now();
    for (const id of ids) reader.read(added(message(id, "")));
    for (const id of ids.toReversed()) {
      reader.read(delta(null, "to the last one"));
      reader.read(done(message(id, "x")));
    }
    expect([reader.items.length, performance.now() - startedAt < 10_000]).toEqual([30_000, true]);
  });
});
