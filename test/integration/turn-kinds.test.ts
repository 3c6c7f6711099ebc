/** Turns of every kind on a whole server, against a model over HTTP. */
import { describe, expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import type { ServerNotifications } from "../../src/protocol/index.ts";
import { at } from "../support/json.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply, unfinishedReply } from "../support/model-events.ts";
import { type ModelReply, openScriptedModel } from "../support/scripted-model.ts";
import { createTempHome } from "../support/temp-home.ts";

async function openThread(replies: readonly ModelReply[]) {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const config = modelConfig(model.url, { root: 'compact_prompt = "SUM UP"' });
  const folders = await createTempHome({ config });
  onTestFinished(() => folders.remove());
  const heddle = await createHeddle({
    home: folders.home,
    cwd: folders.workspace,
    env: { HOME: folders.user, SHELL: "/bin/sh", PATH: process.env["PATH"] ?? "" },
  });
  onTestFinished(() => heddle.close());
  const client = await heddle.connect({ capabilities: { experimentalApi: true } });
  const received: string[] = [];
  const note = <M extends keyof ServerNotifications>(
    method: M,
    show: (params: ServerNotifications[M]) => string,
  ) => client.on(method, (params) => received.push(`${method} ${show(params)}`.trim()));
  note("turn/started", () => "");
  note("turn/completed", ({ turn }) => turn.status);
  note("item/completed", ({ item }) => item.type);
  note("thread/settings/updated", ({ threadSettings }) => threadSettings.model);
  const { thread } = await client.thread.start({ cwd: folders.workspace });
  const threadId = thread.id;
  const ended = () =>
    new Promise<string>((resolve) => client.on("turn/completed", ({ turn }) => resolve(turn.status)));
  const say = (text: string) => client.runTurn({ threadId, input: [{ type: "text", text }] });
  /** The last texts of the conversation in a request. */
  const last = (request: number, count: number) => {
    const input = at(model.requests[request]?.body, ["input"]) as { content?: { text?: string }[] }[];
    return input.slice(-count).map(({ content }) => content?.map(({ text }) => text ?? "").join("") ?? "");
  };
  return { model, client, folders, threadId, received, ended, say, last };
}

type ThreadHarness = Awaited<ReturnType<typeof openThread>>;

/** Calls a method by its name. */
function call({ client }: ThreadHarness, method: "thread/compact/start" | "review/start", params: object) {
  return client.request(method, params as never);
}

describe("a compaction", () => {
  test("is a turn of its own, after which the model sees the summary", async () => {
    const world = await openThread([
      messageReply("Hello"),
      messageReply("the summary", { id: "2" }),
      messageReply("Fine", { id: "3" }),
    ]);
    const { say, ended, received, threadId, last } = world;
    await say("one");
    const end = ended();
    received.length = 0;
    expect(await call(world, "thread/compact/start", { threadId })).toEqual({});
    expect(await end).toBe("completed");
    expect(received).toEqual([
      "turn/started",
      "item/completed contextCompaction",
      "turn/completed completed",
    ]);
    expect(last(1, 2)).toEqual(["Hello", "SUM UP"]);
    await say("two");
    expect(last(2, 2)).toEqual([expect.stringMatching(/\nthe summary$/u), "two"]);
  });

  test("takes no further words, and can be interrupted", async () => {
    const world = await openThread([unfinishedReply("half"), messageReply("Fine", { id: "2" })]);
    const { client, model, ended, say, threadId } = world;
    const end = ended();
    await call(world, "thread/compact/start", { threadId });
    await model.arrived(1);
    await expect(client.turn.start({ threadId, input: [{ type: "text", text: "x" }] })).rejects.toThrow(
      "cannot steer a compact turn",
    );
    await client.turn.interrupt({ threadId, turnId: "" });
    expect(await end).toBe("interrupted");
    expect((await say("one")).status).toBe("completed");
  });

  test("takes the place of a turn that runs", async () => {
    const world = await openThread([unfinishedReply("half"), messageReply("the summary", { id: "2" })]);
    const { client, model, threadId } = world;
    await client.turn.start({ threadId, input: [{ type: "text", text: "one" }] });
    await model.arrived(1);
    expect(await call(world, "thread/compact/start", { threadId })).toEqual({});
  });
});

describe("a review", () => {
  test("is a turn of the thread that asked for it", async () => {
    const world = await openThread([messageReply("Looks good."), messageReply("Fine", { id: "2" })]);
    const { ended, received, threadId, say, last } = world;
    const end = ended();
    const target = { type: "custom", instructions: "Look at it." };
    expect(await call(world, "review/start", { threadId, target })).toMatchObject({
      reviewThreadId: threadId,
      turn: { status: "inProgress" },
    });
    expect(await end).toBe("completed");
    expect(received.filter((event) => event.startsWith("item/completed"))).toEqual([
      "item/completed enteredReviewMode",
      "item/completed userMessage",
      "item/completed exitedReviewMode",
      "item/completed agentMessage",
    ]);
    await say("one");
    expect(last(1, 9)).toContain("Looks good.");
    expect(last(1, 9)).not.toContain("Look at it.");
  });

  test("against a branch needs a repository; without one the thread goes on", async () => {
    const world = await openThread([messageReply("Fine")]);
    const { client, model, threadId, say } = world;
    const failure = new Promise<string>((resolve) =>
      client.on("error", ({ error }) => resolve(error.message)),
    );
    await call(world, "review/start", { threadId, target: { type: "baseBranch", branch: "main" } });
    expect(await failure).toContain("is not a git repository");
    expect(model.requests.filter(({ path }) => path.endsWith("/responses"))).toEqual([]);
    expect((await say("one")).status).toBe("completed");
  });
});

describe("a command of the user", () => {
  test("runs as a turn, and the model is told what came of it", async () => {
    const { client, ended, received, threadId, say, last } = await openThread([messageReply("Fine")]);
    const outputs: unknown[] = [];
    client.on("item/completed", ({ item }) => {
      if (item.type === "commandExecution") outputs.push([item.aggregatedOutput, item.exitCode]);
    });
    const end = ended();
    await client.request("thread/shellCommand", { threadId, command: "echo hello; exit 3" });
    expect(await end).toBe("completed");
    expect(outputs).toEqual([["hello\n", 3]]);
    expect(received).toEqual(["turn/started", "item/completed commandExecution", "turn/completed completed"]);
    await say("one");
    expect(last(0, 9).filter((text) => text.startsWith("<user_shell_command>"))).toEqual([
      expect.stringMatching(/echo hello; exit 3[\s\S]*hello[\s\S]*<\/user_shell_command>$/u),
    ]);
  });
});

describe("settings and items", () => {
  test("that a client changes or adds hold for the next turn", async () => {
    const { client, model, received, threadId, say, last } = await openThread([messageReply("Fine")]);
    await client.request("thread/settings/update", { threadId, model: "another-model" });
    const item = { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] };
    await client.request("thread/inject_items", { threadId, items: [item] });
    await say("one");
    expect(received[0]).toBe("thread/settings/updated another-model");
    expect(at(model.requests[0]?.body, ["model"])).toBe("another-model");
    expect(last(0, 9)).toContain("Be brief.");
  });
});
