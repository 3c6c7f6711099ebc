import { describe, expect, test } from "vitest";
import type { Engine } from "../../engine/engine.ts";
import { completed, messageEvents } from "../../engine/scripted-model.fixture.ts";
import { startThread } from "../../engine/thread.fixture.ts";
import type { RuntimeDeps } from "../../runtime/setup/runtime-deps.ts";
import { LaneHeld } from "../../runtime/threads/lane.ts";
import { createTurns } from "../../runtime/threads/turns.ts";
import type { ThreadRequestContext } from "../connections/handler.ts";
import { createTurnHandlers } from "./turns.ts";

const threadId = "01a1dea0-ad32-70b6-bb83-df91b47b9f81";
const input = [{ type: "text" as const, text: "Go", text_elements: [] }];

function open() {
  const world = startThread([[...messageEvents("m", "Fine"), completed], [completed]]);
  const engine = { find: () => world.thread } as unknown as Engine;
  // Another model needs no look at the configuration.
  const turns = createTurns({ engine, host: { env: {} } } as unknown as RuntimeDeps);
  const followUps: (() => void)[] = [];
  const context = {
    lane: new LaneHeld(threadId),
    connection: { subject: null },
    afterResponse: (task: () => void) => void followUps.push(task),
  } as unknown as ThreadRequestContext;
  const handlers = createTurnHandlers({ threads: turns });
  const reply = () => {
    for (const task of followUps.splice(0)) task();
  };
  return { ...world, handlers, context, reply };
}

describe("a turn that is asked for", () => {
  test("begins only when the client has its answer", async () => {
    const { handlers, context, reply, thread, events } = open();
    await handlers["turn/start"]({ threadId, input, model: "n" }, context);
    expect(events).toEqual(["thread/settings/updated"]);
    reply();
    await thread.whenIdle();
    expect(events.at(-1)).toBe("turn/completed completed");
  });

  test("of a thread that does something else is refused, and changes no settings", async () => {
    const { handlers, context, thread } = open();
    await thread.accept({ kind: "compact" });
    await expect(handlers["turn/start"]({ threadId, input, model: "n" }, context)).rejects.toMatchObject({
      message: "cannot steer a compact turn",
    });
    expect(thread.settings.model).toBe("m");
  });
});
