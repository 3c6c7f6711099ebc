/** Turns that are started without a connection, on real lanes and a real thread with a scripted model. */
import { expect, test } from "vitest";
import { createLanes } from "../base/lanes.ts";
import { silentLogger } from "../base/logger.ts";
import { createDeferred } from "../base/tasks.ts";
import type { Engine } from "../engine/engine.ts";
import { completed, messageEvents } from "../engine/scripted-model.fixture.ts";
import type { ThreadEvent } from "../engine/state/events.ts";
import { startThread } from "../engine/thread.fixture.ts";
import type { RuntimeDeps } from "./setup/runtime-deps.ts";
import { createThreadService, type ThreadService } from "./thread-service.ts";
import { threadLane } from "./threads/lane.ts";
import type { SettingsParams, StartOptions } from "./threads/turns.ts";

const threadId = "01a1dea0-ad32-70b6-bb83-df91b47b9f81";
const input = [{ type: "text" as const, text: "Go", text_elements: [] }];

function open() {
  const held = createDeferred<void>();
  const threadEvents: ThreadEvent[] = [];
  const world = startThread([[held.promise, ...messageEvents("m", "Fine"), completed], [completed]], [], {
    onThreadEvent: (event) => threadEvents.push(event),
  });
  const unloaded: string[] = [];
  const engine = {
    find: (id: string) => (id === threadId ? world.thread : undefined),
    unload: (id: string) => void unloaded.push(id),
    onEvent: () => () => {},
  } as unknown as Engine;
  const lanes = createLanes();
  // No setting is overridden that requirements could limit, so that no configuration is read.
  const deps = { engine, host: { env: {}, log: silentLogger } } as unknown as RuntimeDeps;
  const service = createThreadService(deps, lanes);
  /** The turns that items were shown in. */
  const shownTurns = () => world.seen.map(({ params }) => (params as { readonly turnId?: string }).turnId);
  return { ...world, held, threadEvents, service, lanes, unloaded, shownTurns };
}

/** Starts a turn in the lane of its thread, and begins it. */
const start = (
  service: ThreadService,
  id = threadId,
  options: StartOptions = {},
  overrides: SettingsParams = {},
) =>
  service.withLane(id, async (held) => {
    const turn = await service.startTurn(held, { input, ...overrides }, options);
    if (turn.kind === "accepted") turn.begin();
    return turn;
  });

test("input for a turn that ends while the settings change starts a turn of its own", async () => {
  const { service, thread, held, shownTurns } = open();
  const first = await start(service);
  // The running turn ends between the look at it and the acceptance of the input.
  const { changeSettings } = thread;
  thread.changeSettings = async (change) => {
    held.resolve();
    await thread.whenIdle();
    return changeSettings.call(thread, change);
  };
  const second = await start(service, threadId, {}, { summary: "concise" });
  await thread.whenIdle();
  if (first.kind !== "accepted" || second.kind !== "accepted") throw new Error("a turn was refused");
  expect(second.value.id).not.toBe(first.value.id);
  expect(shownTurns()).not.toContain("");
});

test("a turn has the id that was known beforehand, runs by itself, and its end is an event", async () => {
  const { service, thread, held, threadEvents } = open();
  const started = await start(service, threadId, { turnId: "claimed" });
  expect(started).toMatchObject({ kind: "accepted", value: { id: "claimed", status: "inProgress" } });
  held.resolve();
  await thread.whenIdle();
  expect(threadEvents.map(({ type }) => type)).toEqual([
    "statusChanged",
    "turnStarted",
    "itemCompleted",
    "modelAsked",
    "answerBegun",
    "itemCompleted",
    "modelAnswered",
    "readStateChanged",
    "statusChanged",
    "turnEnded",
    "idle",
  ]);
  expect(threadEvents.at(-2)).toMatchObject({
    type: "turnEnded",
    turnId: "claimed",
    kind: "user",
    outcome: { kind: "completed" },
  });
});

test("a turn that must not join another is refused while one runs, with the reason as a value", async () => {
  const { service, held, thread } = open();
  await start(service);
  const refused = await start(service, threadId, { whenBusy: "refuse" });
  expect(refused).toMatchObject({ kind: "refused", reason: "busy" });
  const steered = service.withLane(threadId, (lane) =>
    service.steer(lane, { input, expectedTurnId: "other" }),
  );
  expect(await steered).toMatchObject({
    kind: "refused",
    reason: "otherTurn",
  });
  held.resolve();
  await thread.whenIdle();
  const interrupted = await service.withLane(threadId, (lane) => service.interrupt(lane, ""));
  expect(interrupted).toMatchObject({ kind: "refused", reason: "noActiveTurn" });
});

test("what is not there is refused", async () => {
  const other = "01a1dea0-ad32-70b6-bb83-000000000000";
  expect(await start(open().service, other)).toMatchObject({
    kind: "refused",
    reason: "threadNotFound",
    message: `thread not found: ${other}`,
  });
});

test("a turn waits for what was asked for the same thread before it", async () => {
  const { service, lanes, thread, held } = open();
  const before = createDeferred<void>();
  lanes.run(threadLane(threadId), "exclusive", () => before.promise);
  const starting = start(service);
  await new Promise((resolve) => setImmediate(resolve));
  expect(thread.activeTurnId).toBeNull();
  before.resolve();
  expect(await starting).toMatchObject({ kind: "accepted" });
  held.resolve();
  await thread.whenIdle();
});

test("a lane that is free again lets nobody start a turn", async () => {
  const { service } = open();
  const lane = await service.withLane(threadId, async (held) => held);
  await expect(service.startTurn(lane, { input })).rejects.toThrow("no longer held");
});

test("a thread that is needed again when its lane is free is not unloaded", async () => {
  const { service, unloaded } = open();
  await service.unload(threadId, () => false);
  expect(unloaded).toEqual([]);
  await service.unload(threadId);
  expect(unloaded).toEqual([threadId]);
});
