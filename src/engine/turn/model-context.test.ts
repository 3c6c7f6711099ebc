import { describe, expect, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import type { Answer } from "../../tools/tool.ts";
import type { Clients } from "../permissions/questions.ts";
import { completed, messageEvents } from "../scripted-model.fixture.ts";
import { contextWith, startThread } from "../thread.fixture.ts";
import { NO_TURN_OPTIONS } from "./submission.ts";

const AT = 1_781_717_655;
const REMINDER = "developer: <current_time_reminder>It is 2026-06-17 17:34:15 UTC.</current_time_reminder>";

/** A thread whose client is asked for the time, and the methods of its requests. */
function open(answer: () => Promise<Answer<unknown>>) {
  const asked: string[] = [];
  const days: number[] = [];
  const clients: Clients = {
    open(_, method) {
      asked.push(method);
      return { id: asked.length, answer: answer() as never, withdraw() {} };
    },
  };
  const world = startThread([[...messageEvents("msg_1", "Done"), completed]], [], {
    clients,
    setup: {
      time: {
        isFromClient: true,
        isInContext: true,
        reminder: { intervalSeconds: 1, onlyAfterInput: false },
      },
      context: async (nowMs) => {
        days.push(nowMs);
        return contextWith();
      },
    },
  });
  return { ...world, asked, days };
}

describe("the time of the client", () => {
  test("is asked for once the turn is accepted, for the day and for the reminder", async () => {
    const { thread, say, asked, days, told } = open(async () => ({
      kind: "answered",
      result: { currentTimeAt: AT },
    }));
    const { begin } = await thread.accept({
      kind: "user",
      message: say("What time is it?"),
      options: NO_TURN_OPTIONS,
    });
    expect(asked).toEqual([]);
    begin();
    await thread.whenIdle();
    expect(asked).toEqual(["currentTime/read", "currentTime/read"]);
    expect(days).toEqual([AT * 1000]);
    expect(told(0)).toEqual(["user: What time is it?", REMINDER]);
  });

  test("is needed: without it the turn fails", async () => {
    const { thread, begin, seen, model } = open(async () => ({ kind: "unanswered", reason: "no" }));
    await begin("Go");
    await thread.whenIdle();
    expect(model.requests).toEqual([]);
    expect(seen.at(-1)).toMatchObject({
      method: "turn/completed",
      params: {
        turn: {
          status: "failed",
          error: { message: "Fatal error: failed to read current time: current-time request failed: no" },
        },
      },
    });
  });

  test("is not waited for when the turn is interrupted", async () => {
    const { thread, begin, events } = open(() => createDeferred<Answer<unknown>>().promise);
    await begin("Go");
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    expect(events.at(-1)).toBe("turn/completed interrupted");
  });
});
