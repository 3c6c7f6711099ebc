import { describe, expect, test } from "vitest";
import type { Engine } from "../../engine/engine.ts";
import { completed, says } from "../../engine/scripted-model.fixture.ts";
import { startThread } from "../../engine/thread.fixture.ts";
import { createTurnOperations } from "../../runtime/threads/turn-operations.ts";
import type { RequestContext } from "../connections/handler.ts";
import { createTurnHandlers } from "./turns.ts";

const threadId = "01a1dea0-ad32-70b6-bb83-df91b47b9f81";
const input = [{ type: "text" as const, text: "Go", text_elements: [] }];

function open() {
  const world = startThread([[...says("m", "Fine"), completed], [completed]]);
  const engine = { find: () => world.thread } as unknown as Engine;
  const turns = createTurnOperations({ engine, resolveChange: async () => ({ model: "n" }) });
  const followUps: (() => void)[] = [];
  const context = {
    afterResponse: (task: () => void) => void followUps.push(task),
  } as unknown as RequestContext;
  const handlers = createTurnHandlers({ threads: async () => turns });
  const reply = () => {
    for (const task of followUps.splice(0)) task();
  };
  return { ...world, handlers, context, reply };
}

describe("a turn that is asked for", () => {
  test("begins only when the client has its answer", async () => {
    const { handlers, context, reply, thread, events } = open();
    await handlers["turn/start"]({ threadId, input }, context);
    expect(events).toEqual(["thread/settings/updated"]);
    reply();
    await thread.whenIdle();
    expect(events.at(-1)).toBe("turn/completed completed");
  });

  test("of a thread that does something else is refused, and changes no settings", async () => {
    const { handlers, context, thread } = open();
    await thread.accept({ kind: "compact" });
    await expect(handlers["turn/start"]({ threadId, input }, context)).rejects.toMatchObject({
      message: "cannot steer a compact turn",
    });
    expect(thread.settings.model).toBe("m");
  });
});
