import { describe, expect, test } from "vitest";
import type { Engine } from "../../engine/engine.ts";
import type { BackgroundTerminals } from "../../tools/exec/background-terminals.ts";
import type { ParamsOf, ThreadRequestContext } from "../connections/handler.ts";
import { createBackgroundTerminalHandlers } from "./background-terminals.ts";

const THREAD = "0199a213-81c0-7800-8aa1-bbab2a035a53";

function setUp(ids: string[]) {
  const running = new Set(ids);
  const terminals: BackgroundTerminals = {
    list: () =>
      [...running].map((processId) => ({
        itemId: `i${processId}`,
        processId,
        command: "sleep 60",
        cwd: "/",
      })),
    terminate: (_, processId) => Promise.resolve(running.delete(processId)),
    clean: () => Promise.resolve(running.clear()),
  };
  const handlers = createBackgroundTerminalHandlers({
    // The handlers only want to know whether there is a thread.
    engine: { find: (id) => (id === THREAD ? ({} as ReturnType<Engine["find"]>) : undefined) },
    terminals: () => Promise.resolve(terminals),
  });
  const context = { afterResponse: (task: () => void) => task() } as unknown as ThreadRequestContext;
  return {
    list: async (params: Partial<ParamsOf<"thread/backgroundTerminals/list">> = {}) =>
      handlers["thread/backgroundTerminals/list"]({ threadId: THREAD, ...params }, context),
    terminate: async (processId: string, threadId = THREAD) =>
      handlers["thread/backgroundTerminals/terminate"]({ threadId, processId }, context),
    clean: async (threadId = THREAD) => handlers["thread/backgroundTerminals/clean"]({ threadId }, context),
  };
}

const terminal = (processId: string) => ({
  itemId: `i${processId}`,
  processId,
  command: "sleep 60",
  cwd: "/",
  osPid: null,
  cpuPercent: null,
  rssKb: null,
});

describe("the list of background terminals", () => {
  test("comes in pages that begin after the last number", async () => {
    const { list } = setUp(["1000", "2000", "30000"]);
    expect(await list()).toEqual({ data: ["1000", "2000", "30000"].map(terminal), nextCursor: null });
    expect(await list({ limit: 2 })).toEqual({ data: ["1000", "2000"].map(terminal), nextCursor: "2000" });
    expect(await list({ limit: 2, cursor: "2000" })).toEqual({ data: [terminal("30000")], nextCursor: null });
    expect(await list({ limit: 0, cursor: "1500" })).toEqual({
      data: [terminal("2000")],
      nextCursor: "2000",
    });
  });

  test("refuses a cursor that is no number, and a thread that is not there", async () => {
    const { list } = setUp([]);
    await expect(list({ cursor: "x" })).rejects.toThrow("invalid cursor: invalid digit found in string");
    await expect(list({ threadId: THREAD.replace("5a53", "0000") })).rejects.toThrow("thread not found: ");
  });
});

test("one is ended by its number, and it is said whether there was one", async () => {
  const { list, terminate } = setUp(["1000", "2000"]);
  expect(await terminate("1000")).toEqual({ terminated: true });
  expect(await terminate("1000")).toEqual({ terminated: false });
  expect((await list()).data).toEqual([terminal("2000")]);
  for (const [id, reason] of [
    ["", "cannot parse integer from empty string"],
    ["1a", "invalid digit found in string"],
    ["9999999999", "number too large to fit in target type"],
  ] as const) {
    await expect(terminate(id)).rejects.toMatchObject({
      code: -32600,
      message: `invalid background terminal process id: ${reason}`,
    });
  }
});

test("all are ended together", async () => {
  const { clean, list } = setUp(["1000", "2000"]);
  expect(await clean()).toEqual({});
  expect(await list()).toEqual({ data: [], nextCursor: null });
});
