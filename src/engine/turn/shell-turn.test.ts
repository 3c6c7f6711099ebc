import { describe, expect, test } from "vitest";
import type { Logger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { UserShellCommand } from "../../tools/exec/user-shell.ts";
import { completed, messageEvents, type Script } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";

const record = (command: string) => `<user_shell_command>${command}</user_shell_command>`;

/** A thread whose commands end when the test resolves them, or when they are aborted. */
function open(scripts: readonly Script[], log?: Logger) {
  const ran: UserShellCommand[] = [];
  const end = createDeferred<void>();
  const world = startThread(scripts, [], {
    ...(log === undefined ? {} : { log }),
    setup: {
      async runUserShell(command) {
        ran.push(command);
        const aborted = new Promise<void>((resolve) =>
          command.signal.addEventListener("abort", () => resolve(), { once: true }),
        );
        await Promise.race([end.promise, aborted]);
        return { exitCode: 0, output: "", durationMs: 0, record: record(command.command) };
      },
    },
  });
  return {
    ...world,
    ran,
    end,
    async type(command: string) {
      const { begin } = await world.thread.acceptShellCommand({ command, timeoutMs: null });
      begin();
    },
    async run(text: string) {
      await world.begin(text);
      await world.thread.whenIdle();
    },
  };
}

const lives = (events: readonly string[]) => events.filter((event) => /^(turn|thread\/status)/u.test(event));

describe("a command of the user in an idle thread", () => {
  test("is a turn of its own, and the model is told of it in the next", async () => {
    const { thread, type, run, ran, end, events, told } = open([[completed]]);
    await type("ls");
    expect(thread.activeKind).toBe("shell");
    end.resolve();
    await thread.whenIdle();
    expect(lives(events)).toEqual([
      "thread/status/changed active",
      "turn/started inProgress",
      "thread/status/changed idle",
      "turn/completed completed",
    ]);
    expect(ran.map(({ command, cwd, threadId }) => ({ command, cwd, threadId }))).toEqual([
      { command: "ls", cwd: "/project", threadId: "thread" },
    ]);
    await run("one");
    expect(told(0)).toEqual([`user: ${record("ls")}`, "user: one"]);
  });

  test("ends when it is interrupted", async () => {
    const { thread, type, ran, events } = open([]);
    await type("sleep 100");
    await expect.poll(() => ran.length).toBe(1);
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    expect(events.at(-1)).toBe("turn/completed interrupted");
  });

  test("hears what the user says meanwhile", async () => {
    const { thread, type, run, say, end, told } = open([[completed]]);
    await type("make");
    (await thread.steer(say("And then?"))).begin();
    end.resolve();
    await thread.whenIdle();
    await run("one");
    expect(told(0)).toContain("user: And then?");
  });
});

describe("a command of the user in a busy thread", () => {
  test("joins the turn, which tells the model when the command has ended", async () => {
    const held = createDeferred<void>();
    const { thread, begin, type, run, end, model, events, told } = open([
      [held.promise, ...messageEvents("m", "Fine"), completed],
      [completed],
      [completed],
    ]);
    await begin("one");
    await model.whenRequested(1);
    await type("ls");
    end.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    held.resolve();
    await thread.whenIdle();
    await run("two");
    expect(told(model.requests.length - 1)?.filter((line) => line.includes("user_shell_command"))).toEqual([
      `user: ${record("ls")}`,
    ]);
    expect(events.filter((event) => event.startsWith("turn/")).length).toBe(4);
  });

  test("that goes wrong does not end the turn", async () => {
    const held = createDeferred<void>();
    const errors: string[] = [];
    const log: Logger = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (message) => void errors.push(message),
    };
    const world = startThread([[held.promise, ...messageEvents("m", "Fine"), completed]], [], {
      log,
      setup: { runUserShell: () => Promise.reject(new Error("no shell")) },
    });
    await world.begin("one");
    await world.model.whenRequested(1);
    const { begin } = await world.thread.acceptShellCommand({ command: "ls", timeoutMs: null });
    begin();
    await expect.poll(() => errors.length).toBe(1);
    held.resolve();
    await world.thread.whenIdle();
    expect(world.events.at(-1)).toBe("turn/completed completed");
  });
});

describe("items that a client injects", () => {
  const item = (text: string): ResponseItem => ({
    type: "message",
    role: "developer",
    content: [{ type: "input_text", text }],
  });

  test("into an idle thread are told with the next turn, and begin none", async () => {
    const { thread, run, events, model, told } = open([[completed]]);
    await thread.inject([item("A"), item("B")]);
    expect([events, model.requests]).toEqual([[], []]);
    await run("one");
    expect(told(0)).toEqual(["developer: A", "developer: B", "user: one"]);
  });

  test("into a busy thread are told at the latest with the next turn", async () => {
    const held = createDeferred<void>();
    const { thread, begin, run, model, told } = open([
      [held.promise, ...messageEvents("m", "Fine"), completed],
      [completed],
      [completed],
    ]);
    await begin("one");
    await model.whenRequested(1);
    await thread.inject([item("A")]);
    held.resolve();
    await thread.whenIdle();
    await run("two");
    expect(told(model.requests.length - 1)?.filter((line) => line === "developer: A")).toEqual([
      "developer: A",
    ]);
  });
});
