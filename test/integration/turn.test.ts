import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SandboxMode, ServerNotifications } from "../../src/protocol/index.ts";
import { openEmbedded } from "../support/embedded.ts";

async function startThread(sandbox: SandboxMode) {
  const { folders, heddle } = await openEmbedded();
  const client = await heddle.connect();
  const received: string[] = [];
  const diffs: string[] = [];
  const note = <M extends keyof ServerNotifications>(
    method: M,
    show: (params: ServerNotifications[M]) => string,
  ) => client.on(method, (params) => received.push(`${method} ${show(params)}`.trim()));
  note("item/started", ({ item }) => item.type);
  note("item/completed", ({ item }) => `${item.type} ${"status" in item ? item.status : ""}`.trim());
  client.on("turn/diff/updated", ({ diff }) => diffs.push(diff));
  const { thread } = await client.thread.start({ cwd: folders.workspace, sandbox, approvalPolicy: "never" });
  const say = (text: string) => client.runTurn({ threadId: thread.id, input: [{ type: "text", text }] });
  return { client, thread, say, received, diffs, path: (name: string) => join(folders.workspace, name) };
}

describe("a turn on the demo model", () => {
  test("edits a file in the workspace, and shows what it did", async () => {
    const { say, received, diffs, path } = await startThread("workspace-write");
    const turn = await say("create notes.txt");
    expect(turn.status).toBe("completed");
    expect(existsSync(path("notes.txt"))).toBe(true);
    expect(received).toContain("item/completed fileChange completed");
    expect(diffs[0]).toMatch(/^diff --git a\/notes\.txt b\/notes\.txt\nnew file mode 100644\n/);
    const added = readFileSync(path("notes.txt"), "utf8").trimEnd().split("\n");
    for (const line of added) expect(diffs.at(-1)).toContain(`+${line}`);
  });

  test("writes nothing where it may only read, and goes on", async () => {
    const { say, received, diffs, path } = await startThread("read-only");
    const turn = await say("create notes.txt");
    expect(turn.status).toBe("completed");
    expect(existsSync(path("notes.txt"))).toBe(false);
    expect(received.filter((event) => event.includes("fileChange"))).toEqual([]);
    expect(diffs).toEqual([]);
  });

  test("can be joined and ended while it runs", async () => {
    const { client, thread, received } = await startThread("read-only");
    const started = await client.turn.start({ threadId: thread.id, input: [{ type: "text", text: "slow" }] });
    const joined = await client.turn.start({ threadId: thread.id, input: [{ type: "text", text: "slow" }] });
    expect(joined.turn.id).toBe(started.turn.id);
    const ended = new Promise<string>((resolve) =>
      client.on("turn/completed", ({ turn }) => resolve(turn.status)),
    );
    await client.turn.interrupt({ threadId: thread.id, turnId: started.turn.id });
    expect(await ended).toBe("interrupted");
    expect(received.filter((event) => event === "item/completed userMessage").length).toBeGreaterThan(0);
    await expect(client.turn.interrupt({ threadId: thread.id, turnId: started.turn.id })).rejects.toThrow(
      "no active turn to interrupt",
    );
  });

  test("that fails leaves the thread ready for the next", async () => {
    const { say } = await startThread("read-only");
    expect(await say("fail")).toMatchObject({ status: "failed", error: { message: expect.any(String) } });
    expect((await say("Hello")).status).toBe("completed");
  });
});

describe("commands", () => {
  test("run where no sandbox is asked for, and are shown with their output", async () => {
    const { client, say, received } = await startThread("danger-full-access");
    const outputs: (string | null)[] = [];
    client.on("item/completed", ({ item }) => {
      if (item.type === "commandExecution") outputs.push(item.aggregatedOutput);
    });
    const turn = await say("run echo hello from a command");
    expect(turn.status).toBe("completed");
    expect(received).toContain("item/completed commandExecution completed");
    expect(outputs).toEqual(["hello from a command\n"]);
  });

  test("do not run where a sandbox is asked for that cannot be enforced", async () => {
    const { say, received, path } = await startThread("workspace-write");
    const turn = await say("run touch made-by-a-command");
    expect(turn.status).toBe("completed");
    expect(received.filter((event) => event.includes("commandExecution"))).toEqual([]);
    expect(existsSync(path("made-by-a-command"))).toBe(false);
  });
});
