import { describe, expect, test } from "vitest";
import { fileText, itemLine, meta, NOW, THREAD } from "../files/rollout/rollout.fixture.ts";
import { type HistoryState, noHistory, stepHistory } from "./history-step.ts";
import { type LineBody, parseLine } from "./line.ts";
import { agentItem, completed, started, userItem } from "./lines.fixture.ts";
import { emptyProjection, fold, type LocatedLine, type Projection, turnsOf } from "./projection.fixture.ts";
import {
  compacted,
  responseItem,
  threadGoalUpdated,
  threadSettingsApplied,
  turnContext,
  worldState,
} from "./thread-lines.ts";
import { taskComplete, tokenCount, turnAborted } from "./turn-lines.ts";

function located(bodies: readonly LineBody[], options: { legacy?: boolean } = {}): LocatedLine[] {
  let offset = 0;
  return fileText(bodies, options)
    .split("\n")
    .slice(0, -1)
    .map((text) => {
      const parsed = parseLine(text);
      if (parsed.kind !== "line") throw new Error(text);
      const line = { path: "/file", line: parsed.line, offset, length: Buffer.byteLength(text) + 1 };
      offset += line.length;
      return line;
    });
}

function project(bodies: readonly LineBody[], options: { legacy?: boolean } = {}): Projection {
  const projection = emptyProjection();
  for (const line of located(bodies, options)) fold(projection, line);
  return projection;
}

function event(type: string, members: object = {}): LineBody {
  return { type: "event_msg", payload: { type, ...members } };
}

function said(role: string, text: string) {
  return { type: "message", role, content: [{ type: "input_text", text }] };
}

function outline(projection: Projection): string[] {
  const turns = turnsOf(projection, { live: false }).map(({ id, status }) => `${id} ${status}`);
  const items = [...projection.items.values()].map(({ turnId, item }) => `${turnId}/${item.id} ${item.type}`);
  return [...turns, ...items];
}

const usage = {
  totalTokens: 15,
  inputTokens: 10,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 5,
  reasoningOutputTokens: 0,
};

describe("a paginated thread", () => {
  test("has the facts of its first line and of the latest settings", () => {
    const settings = {
      model: "m2",
      model_provider_id: "p2",
      cwd: "/other",
      collaboration_mode: { settings: { reasoning_effort: "high" } },
    };
    const goal = { objective: "win" };
    const tokenUsage = { total: usage, last: usage, modelContextWindow: 1000 };
    const { state } = project([
      meta({ git: { sha: "abc", branch: "main", originUrl: null } }),
      turnContext({
        turn_id: "one",
        cwd: "/repo",
        approval_policy: "never",
        sandbox_policy: { type: "read-only" },
        model: "m1",
        summary: "none",
      }),
      itemLine("one", userItem("u1", "Hello")),
      itemLine("one", userItem("u2", "Again")),
      tokenCount(tokenUsage),
      threadGoalUpdated(THREAD, goal),
      threadSettingsApplied(THREAD, settings),
    ]);
    expect(state.facts).toEqual({
      id: THREAD,
      sessionId: THREAD,
      owner: null,
      forkedFromId: null,
      parentThreadId: null,
      historyMode: "paginated",
      generation: null,
      ownHistoryStart: 0,
      cwd: "/other",
      source: "vscode",
      threadSource: null,
      originator: "test",
      cliVersion: "1.0.0",
      agentNickname: null,
      agentRole: null,
      gitInfo: { sha: "abc", branch: "main", originUrl: null },
      baseInstructions: "Be brief.",
      dynamicTools: null,
      ceiling: null,
      modelProvider: "p2",
      model: "m2",
      reasoningEffort: "high",
      settings,
      goal,
      preview: "Hello",
      createdAtMs: NOW,
      updatedAtMs: NOW,
      tokenUsage,
      turnId: null,
      usageTurnId: null,
    });
  });

  test("has turns with their times, ends and summary items", () => {
    const error = {
      message: "bad thing",
      codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 502 } },
      additionalDetails: null,
      misalignment: null,
    };
    const projection = project([
      meta(),
      started("one"),
      itemLine("one", userItem("u1", "Hello")),
      itemLine("one", agentItem("a1", "working")),
      itemLine("one", agentItem("a2", "done")),
      completed("one", "done"),
      started("two"),
      taskComplete({
        turnId: "two",
        startedAt: 100,
        completedAt: 102,
        durationMs: 2000,
        lastAgentMessage: null,
        error,
      }),
      started("three"),
      turnAborted({
        turnId: "three",
        reason: "interrupted",
        startedAt: 100,
        completedAt: 103,
        durationMs: 3000,
      }),
    ]);
    const shown = turnsOf(projection, { live: false }).map(({ location: _place, ...turn }) => turn);
    const turn = { error: null, startedAt: 100, hookRuns: [], firstUserItem: null, finalAgentItem: null };
    const times = { startedAtMs: 100_000, completedAtMs: 100_001 };
    expect(shown).toEqual([
      {
        ...turn,
        id: "one",
        rootTurnId: "one",
        status: "completed",
        completedAt: 101,
        durationMs: 1000,
        firstUserItem: { ...userItem("u1", "Hello"), ...times },
        finalAgentItem: { ...agentItem("a2", "done"), ...times },
      },
      { ...turn, id: "two", rootTurnId: "two", status: "failed", completedAt: 102, durationMs: 2000, error },
      {
        ...turn,
        id: "three",
        rootTurnId: "three",
        status: "interrupted",
        completedAt: 103,
        durationMs: 3000,
      },
    ]);
  });

  test("shows a hook prompt that only the model's history has, and only once if an item has it as well", () => {
    const prompt = (id: object, ...texts: string[]) =>
      responseItem({
        ...id,
        type: "message",
        role: "user",
        content: texts.map((text) => ({ type: "input_text", text })),
      } as { type: string });
    const element = (text: string) => `<hook_prompt hook_run_id="run-1">${text}</hook_prompt>`;
    const projection = project([
      meta(),
      prompt({ id: "msg_0" }, element("outside of a turn")),
      started("t1"),
      prompt({ id: "msg_1" }, element("go &lt;on&gt;"), element("and on")),
      prompt({}, element("unnamed")),
      prompt({ id: "msg_2" }, element("a"), "and more"),
      prompt({ id: "msg_3" }),
      prompt({ id: "msg_4" }, element("told")),
      itemLine("t1", {
        type: "hookPrompt",
        id: "msg_4",
        fragments: [{ text: "told", hookRunId: "run-1" }],
      }),
      completed("t1"),
    ]);
    expect(outline(projection)).toEqual([
      "t1 completed",
      "t1/msg_1 hookPrompt",
      "t1/hook-prompt-4 hookPrompt",
      "t1/msg_4 hookPrompt",
    ]);
    expect(projection.items.values().next().value?.item).toMatchObject({
      fragments: [
        { text: "go <on>", hookRunId: "run-1" },
        { text: "and on", hookRunId: "run-1" },
      ],
    });
    const old = project(
      [
        meta({ historyMode: "legacy" }),
        event("user_message", { message: "Hi" }),
        prompt({ id: "msg_1" }, element("go on")),
        event("agent_message", { message: "Hello" }),
      ],
      { legacy: true },
    );
    expect(outline(old)).toEqual([
      "rollout-1 completed",
      "rollout-1/item-1 userMessage",
      "rollout-1/msg_1 hookPrompt",
      "rollout-1/item-2 agentMessage",
    ]);
  });

  test("has items with the location and content of their last line", () => {
    const lines = located([
      meta(),
      started("one"),
      itemLine("one", agentItem("a", "half")),
      itemLine("one", agentItem("a", "whole")),
    ]);
    const projection = emptyProjection();
    for (const line of lines) fold(projection, line);
    const last = lines.at(-1);
    const times = { startedAtMs: 100_000, completedAtMs: 100_001 };
    expect([...projection.items.values()]).toEqual([
      {
        turnId: "one",
        item: { ...agentItem("a", "whole"), ...times },
        ...times,
        location: { path: "/file", ordinal: 3, offset: last?.offset, length: last?.length },
      },
    ]);
  });

  test("shows an unfinished turn as interrupted unless the thread is live", () => {
    const projection = project([meta(), started("one"), started("two")]);
    const statuses = (live: boolean) => turnsOf(projection, { live }).map(({ status }) => status);
    expect([statuses(false), statuses(true)]).toEqual([
      ["interrupted", "interrupted"],
      ["interrupted", "inProgress"],
    ]);
  });

  test("of a sub-agent shows only its own turns, while its model history includes its parent's", () => {
    const own = meta();
    const first = { ...own, payload: { ...own.payload, subagent_history_start_ordinal: 4 } } as LineBody;
    const projection = project([
      first,
      started("parent"),
      responseItem(said("user", "a")),
      completed("parent"),
      started("own"),
    ]);
    expect([outline(projection), projection.model.items.length]).toEqual([["own interrupted"], 1]);
  });

  test("resumes from any line with the same result as one read", () => {
    const lines = located([
      meta(),
      started("one"),
      itemLine("one", userItem("u", "Hi")),
      completed("one"),
      started("two"),
    ]);
    const run = (state: HistoryState, part: readonly LocatedLine[]) =>
      part.reduce((before, { line }) => stepHistory(before, line).state, state);
    const whole = run(noHistory, lines);
    for (let cut = 0; cut <= lines.length; cut += 1) {
      const stored = JSON.parse(JSON.stringify(run(noHistory, lines.slice(0, cut)))) as HistoryState;
      expect(run(stored, lines.slice(cut))).toEqual(whole);
    }
  });
});

describe("the model's history", () => {
  test("contains the response items in order", () => {
    const { model } = project([
      meta({ windowId: "w1" }),
      responseItem(said("user", "a")),
      responseItem(said("assistant", "b")),
    ]);
    expect([model.items, model.window]).toEqual([
      [said("user", "a"), said("assistant", "b")],
      { number: 0, firstId: "w1", previousId: null, id: "w1" },
    ]);
  });

  test("is replaced by a compaction, which clears the world state and turn context", () => {
    const { model } = project([
      meta({ windowId: "w1" }),
      worldState({ a: 1 }, { full: true }),
      responseItem(said("user", "a")),
      compacted({
        message: "sum",
        replacementHistory: [said("user", "sum")],
        windowNumber: 1,
        firstWindowId: "w1",
        previousWindowId: "w1",
        windowId: "w2",
      }),
      responseItem(said("user", "b")),
    ]);
    expect(model).toMatchObject({
      items: [said("user", "sum"), said("user", "b")],
      worldState: null,
      turnContext: null,
      window: { number: 1, firstId: "w1", previousId: "w1", id: "w2" },
    });
  });

  test("retains user messages through a legacy compaction", () => {
    const { model } = project(
      [
        meta({ historyMode: "legacy" }),
        responseItem(said("user", "<environment_context>x</environment_context>")),
        responseItem(said("user", "a")),
        responseItem(said("assistant", "b")),
        { type: "compacted", payload: { message: "sum" } },
      ],
      { legacy: true },
    );
    expect(model.items).toEqual([said("user", "a"), said("user", "sum")]);
  });

  test("merges partial world states into the previous one", () => {
    const { model } = project([
      meta(),
      worldState({ a: { b: 1, c: 2 }, d: [1], e: 1 }, { full: true }),
      worldState({ a: { c: null, f: 3 }, d: [2], e: null }, { full: false }),
    ]);
    expect(model.worldState).toEqual({ a: { b: 1, f: 3 }, d: [2] });
  });
});

describe("a legacy thread", () => {
  const legacy = meta({ historyMode: "legacy" });
  const user = event("user_message", { message: "Hello" });
  const counted = tokenCount({ total: usage, last: usage, modelContextWindow: 1000 });

  test.each<[string, readonly LineBody[], string | null]>([
    ["a message without a turn", [user, counted, user], "rollout-1"],
    ["a later message", [user, counted, user, counted], "rollout-3"],
    ["a turn with an id", [user, started("one"), counted, completed("one", "x"), user], "one"],
    ["a message behind such a turn", [started("one"), completed("one", "x"), user, counted], "rollout-3"],
    ["nothing that was said", [counted, user], null],
  ])("has its tokens used for %s", (_, lines, turn) => {
    expect(project([legacy, ...lines], { legacy: true }).state.facts.usageTurnId).toBe(turn);
  });

  test("without turns gets one for each user message, and numbered items", () => {
    const projection = project(
      [
        legacy,
        event("user_message", { message: "Hi", images: ["data:x"], text_elements: [] }),
        event("agent_reasoning", { text: "hm" }),
        event("agent_reasoning", { text: "so" }),
        event("agent_message", { message: "Hello" }),
        event("user_message", { message: "More" }),
        event("agent_message", { message: "" }),
        event("context_compacted"),
      ],
      { legacy: true },
    );
    expect(outline(projection)).toEqual([
      "rollout-1 completed",
      "rollout-5 completed",
      "rollout-1/item-1 userMessage",
      "rollout-1/item-2 reasoning",
      "rollout-1/item-3 agentMessage",
      "rollout-5/item-4 userMessage",
      "rollout-5/item-5 contextCompaction",
    ]);
    expect([...projection.items.values()].slice(0, 2).map(({ item }) => item)).toEqual([
      {
        type: "userMessage",
        id: "item-1",
        clientId: null,
        content: [
          { type: "text", text: "Hi", text_elements: [] },
          { type: "image", url: "data:x", detail: null },
        ],
        startedAtMs: null,
        completedAtMs: null,
      },
      {
        type: "reasoning",
        id: "item-2",
        summary: ["hm", "so"],
        content: [],
        startedAtMs: null,
        completedAtMs: null,
      },
    ]);
    expect(projection.state.facts.preview).toBe("Hi");
  });

  test("shows tool results", () => {
    const projection = project(
      [
        legacy,
        started("one"),
        event("user_message", { message: "Hi" }),
        event("patch_apply_end", {
          call_id: "p",
          status: "completed",
          success: true,
          changes: { "/a": { type: "add", content: "x" } },
        }),
        event("mcp_tool_call_end", {
          call_id: "m",
          invocation: { server: "s", tool: "t", arguments: { a: 1 } },
          duration: { secs: 1, nanos: 0 },
          result: { Ok: { content: [], structuredContent: null } },
        }),
        event("mcp_tool_call_end", {
          call_id: "n",
          invocation: { server: "s", tool: "t" },
          result: { Err: "no" },
        }),
        event("web_search_end", { call_id: "w", query: "q", action: { type: "search", query: "q" } }),
        completed("one"),
      ],
      { legacy: true },
    );
    expect([...projection.items.values()].slice(1).map(({ item }) => item)).toMatchObject([
      {
        type: "fileChange",
        id: "p",
        status: "completed",
        changes: [{ path: "/a", kind: { type: "add" }, diff: "x" }],
      },
      {
        type: "mcpToolCall",
        id: "m",
        status: "completed",
        arguments: { a: 1 },
        durationMs: 1000,
        error: null,
      },
      {
        type: "mcpToolCall",
        id: "n",
        status: "failed",
        arguments: null,
        result: null,
        error: { message: "no" },
      },
      { type: "webSearch", id: "w", query: "q", action: { type: "search", query: "q", queries: null } },
    ]);
  });

  test("removes its last turns and their model history in a rollback", () => {
    const turn = (id: string) => [
      started(id),
      responseItem(said("user", id)),
      event("user_message", { message: id }),
      responseItem(said("assistant", `re ${id}`)),
      event("agent_message", { message: `re ${id}` }),
      completed(id),
    ];
    const projection = project(
      [
        legacy,
        ...turn("a"),
        ...turn("b"),
        ...turn("c"),
        event("thread_rolled_back", { num_turns: 2 }),
        ...turn("d"),
      ],
      { legacy: true },
    );
    expect(outline(projection)).toEqual([
      "a completed",
      "d completed",
      "a/item-1 userMessage",
      "a/item-2 agentMessage",
      "d/item-3 userMessage",
      "d/item-4 agentMessage",
    ]);
    expect(projection.model.items).toEqual([
      said("user", "a"),
      said("assistant", "re a"),
      said("user", "d"),
      said("assistant", "re d"),
    ]);
  });

  test("rolls back past a compaction to the history before it", () => {
    const { model } = project(
      [
        legacy,
        started("a"),
        responseItem(said("user", "a")),
        event("user_message", { message: "a" }),
        completed("a"),
        started("b"),
        responseItem(said("user", "b")),
        event("user_message", { message: "b" }),
        compacted({
          message: "s",
          replacementHistory: [said("user", "s")],
          windowNumber: 1,
          firstWindowId: null,
          previousWindowId: null,
          windowId: null,
        }),
        completed("b"),
        event("thread_rolled_back", { num_turns: 1 }),
      ],
      { legacy: true },
    );
    expect([model.items, model.window.number]).toEqual([[said("user", "a")], 0]);
  });
});
