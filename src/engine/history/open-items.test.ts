import fc from "fast-check";
import { expect, test } from "vitest";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { OpenItems } from "./open-items.ts";

const METHOD = "item/agentMessage/delta";

function started(id: string) {
  const item = { type: "agentMessage", id, text: "" } as unknown as ThreadItem;
  return { item, threadId: "thread", turnId: "turn", startedAtMs: 0 };
}

/** The text of each open item, as a client that joins receives it. */
function textsOf(items: OpenItems): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { method, params } of items.notices()) {
    if (method !== METHOD) continue;
    const { itemId, delta } = params as unknown as { itemId: string; delta: string };
    texts[itemId] = (texts[itemId] ?? "") + delta;
  }
  return texts;
}

test("a client that joins at any time receives what was streamed of each item, once", () => {
  const step = fc.record({
    item: fc.constantFrom("a", "b"),
    times: fc.integer({ min: 1, max: 300 }),
    reads: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const items = new OpenItems();
      const expected: Record<string, string> = {};
      for (const id of ["a", "b"]) items.start(started(id));
      let next = 0;
      for (const { item, times, reads } of steps) {
        for (let time = 0; time < times; time += 1) {
          const delta = `${next++} `;
          items.add(METHOD, { itemId: item, delta });
          expected[item] = (expected[item] ?? "") + delta;
        }
        if (reads) expect(textsOf(items)).toEqual(expected);
      }
      expect(textsOf(items)).toEqual(expected);
      items.complete("a");
      delete expected["a"];
      expect(textsOf(items)).toEqual(expected);
    }),
  );
});
