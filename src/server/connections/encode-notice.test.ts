import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeNotification } from "../../jsonrpc/message.ts";
import { createNoticeEncoder } from "./encode-notice.ts";

const id = fc.constantFrom("a", "b", 'with "quotes"');
const delta = fc.record({
  method: fc.constantFrom("item/agentMessage/delta" as const, "item/commandExecution/outputDelta" as const),
  threadId: id,
  turnId: id,
  itemId: id,
  delta: fc.string({ unit: "binary" }),
});

test("a delta is encoded as any other notification, whatever was encoded before", () => {
  fc.assert(
    fc.property(fc.array(delta), (deltas) => {
      const encode = createNoticeEncoder();
      for (const [nowMs, { method, threadId, turnId, itemId, delta: text }] of deltas.entries()) {
        const params = { threadId, turnId, itemId, delta: text };
        expect(encode(method, params, nowMs)).toBe(encodeNotification(method, params, nowMs));
      }
    }),
  );
});

test("other notifications are encoded whole", () => {
  const params = { threadId: null, message: "careful" };
  expect(createNoticeEncoder()("warning", params, 7)).toBe(encodeNotification("warning", params, 7));
});
