import { describe, expect, test } from "vitest";
import type { RolloutLine } from "./line.ts";
import { emptyModelHistory, foldModelHistory } from "./model-history.ts";
import type { CallChange, SuspendedCalls } from "./suspended-calls.ts";
import { callsChanged } from "./thread-lines.ts";

const turn = {
  turnId: "turn",
  rootTurnId: null,
  parentTurnId: "parent",
  startedAtMs: 5,
  outputSchema: { type: "object" },
  serviceTier: null,
};
const waiting: CallChange = {
  callId: "b",
  state: {
    kind: "waiting",
    waiting: {
      itemId: "item",
      call: { callId: "b", name: "exec_command", input: "{}" },
      preset: { behavior: "ask", reason: "a hook" },
      afterDenial: "unapproved",
    },
  },
};
const output = { type: "function_call_output", call_id: "a", output: "done" };
const all: readonly CallChange[] = [
  { callId: "a", state: { kind: "done", output } },
  waiting,
  { callId: "c", state: { kind: "started" } },
  { callId: "d", state: { kind: "open" } },
];

function fold(
  ...lines: readonly { readonly type: string; readonly payload: object }[]
): SuspendedCalls | null {
  const history = emptyModelHistory();
  // As they are read from a file.
  for (const line of JSON.parse(JSON.stringify(lines)) as RolloutLine[])
    foldModelHistory(history, line, false);
  return history.calls;
}

const asked = callsChanged({ turnId: "turn", turn, calls: all });

describe("the calls of a response that waits for an answer", () => {
  test("are read as they were written, in call order", () => {
    const calls = new Map(all.map(({ callId, state }) => [callId, state]));
    expect(fold(asked)).toEqual({ turn, calls });
    expect([...(fold(asked)?.calls.keys() ?? [])]).toEqual(["a", "b", "c", "d"]);
  });

  test("change with later lines", () => {
    const done = { kind: "done", output } as const;
    const later = callsChanged({ turnId: "turn", turn: null, calls: [{ callId: "c", state: done }] });
    expect(fold(asked, later)?.calls.get("c")).toEqual(done);
  });

  test.each([
    ["their outputs are in the history", { type: "response_item", payload: output }],
    ["another turn begins", { type: "turn_context", payload: { turn_id: "next" } }],
    ["the history is compacted", { type: "compacted", payload: { message: "", replacement_history: [] } }],
    ["a change has no beginning", callsChanged({ turnId: "other", turn: null, calls: all })],
  ])("are gone when %s", (_when, line) => {
    expect(fold(asked, line)).toBeNull();
  });

  test.each([{ state: "of another version" }, { state: "done" }, { state: "waiting", item_id: "item" }, {}])(
    "count as started where %j is not understood",
    (stored) => {
      const line = {
        type: "world_state",
        payload: { heddle_calls: { turn_id: "turn", calls: [{ call_id: "b", ...stored }] } },
      };
      expect(fold(asked, line)?.calls.get("b")).toEqual({ kind: "started" });
    },
  );
});
