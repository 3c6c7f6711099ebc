import { expect, test } from "vitest";
import { queueRow } from "../../store/queue-row.fixture.ts";
import { orThrow } from "../configuration/thread-refusal.ts";
import { toQueuedTurn, toRow, toTurnError } from "./queue-entry.ts";

test.each([2 ** 60, -(2 ** 60)])("a time that is none is refused: %d", async (notBefore) => {
  const params = {
    threadId: "t",
    input: [{ type: "text" as const, text: "x", text_elements: [] }],
    notBefore,
  };
  expect(await toRow({ ...params, clientUserMessageId: "c" }, null, () => "id")).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("notBefore is not a Unix time in seconds"),
  });
});

test("an empty key is none, and the key of the whole turn goes before", async () => {
  const input = [{ type: "text" as const, text: "x", text_elements: [] }];
  const keyOf = async (outer: string, inner?: string | null) => {
    const given = { threadId: "t", clientUserMessageId: outer };
    const params =
      inner === undefined
        ? { ...given, input }
        : { ...given, turnStartParams: { threadId: "t", input, clientUserMessageId: inner } };
    return orThrow(await toRow(params, null, () => "id")).clientUserMessageId;
  };
  expect([await keyOf(""), await keyOf("a"), await keyOf("a", "b"), await keyOf("a", null)]).toEqual([
    null,
    "a",
    "b",
    "a",
  ]);
});

test.each([
  [{}, []],
  [{ input: 5 }, []],
  [
    { input: [null, 5, { type: 5 }, { type: "text", text: "x" }] },
    [{ type: "text", text: "x", text_elements: [] }],
  ],
])("what is not input is not told: %j", (params, input) => {
  expect(toQueuedTurn(queueRow("a", { params }))).toMatchObject({ input, turnStartParams: { input } });
});

test("why a turn could not be started is told in bounded words", () => {
  expect(toTurnError("x".repeat(4000)).message).toHaveLength(4000);
  expect(toTurnError("x".repeat(1e6)).message).toBe(`${"x".repeat(4000)}…`);
  const status = { type: "failed", error: { message: "it could not be started" } };
  expect(toQueuedTurn(queueRow("a", { state: "failed", failure: {} }))).toMatchObject({ status });
});
