/** Loads the plugin as OpenCode does, with a program that gives scripted answers. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { applyMutation, type JsonObject, render } from "../../lifecycle/index.ts";
import { opencodePlugin } from "./opencode-plugin.ts";

type Hook = (input: object, output: object) => Promise<void>;
type Plugin = Readonly<Record<string, Hook>> & { readonly event: (input: object) => Promise<void> };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-plugin-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

async function openPlugin(hooks: readonly string[], answer: object = {}): Promise<Plugin> {
  const script = join(folder, "hook.sh");
  writeFileSync(join(folder, "answer.json"), JSON.stringify(answer));
  writeFileSync(
    script,
    `#!/bin/sh\ncat >> '${folder}/told'; echo >> '${folder}/told'\ncat '${folder}/answer.json'\n`,
  );
  chmodSync(script, 0o755);
  const file = join(folder, "plugin.mjs");
  writeFileSync(file, opencodePlugin(`'${script}'`, hooks));
  const { HeddleLifecycle } = (await import(pathToFileURL(file).href)) as {
    HeddleLifecycle: (context: object) => Promise<Plugin>;
  };
  return HeddleLifecycle({});
}

function told(): { readonly hook: string; readonly parentID?: string }[] {
  const file = join(folder, "told");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function bodyOf(event: "tool.starting" | "frame.opening" | "tool.completed", result: object): JsonObject {
  const rendered = render({ adapter: "opencode", event, result });
  if (!rendered.ok) throw new Error(rendered.error.kind);
  return rendered.body;
}

test.each([
  [
    "tool.execute.before",
    "tool.starting",
    { updated_input: { command: "ls" } },
    () => ({ args: { command: "rm", description: "d" } }),
  ],
  ["tool.execute.before", "tool.starting", { updated_input: { command: "ls" } }, () => ({})],
  ["chat.message", "frame.opening", { context: ["b"] }, () => ({})],
  ["tool.execute.after", "tool.completed", { context: ["b"] }, () => ({ output: "a" })],
  ["tool.execute.after", "tool.completed", { updated_output: "b" }, () => ({ output: "a" })],
  [
    "chat.message",
    "frame.opening",
    { context: ["b"] },
    () => ({
      message: { id: "msg_1", sessionID: "ses_1" },
      parts: [{ id: "prt_1", type: "text", text: "x" }],
    }),
  ],
] as const)("does at %s what applyMutation does", async (hook, event, result, output) => {
  const body = bodyOf(event, result);
  const plugin = await openPlugin([hook], body);
  const [mine, theirs] = [output(), output()];
  const held = "args" in mine ? mine.args : null;
  await plugin[hook]?.({ sessionID: "ses_1" }, mine);
  applyMutation(theirs, body);
  expect(mine).toEqual(theirs);
  expect(mine).not.toEqual(output());
  if (held !== null && "args" in mine) expect(mine.args).toBe(held);
});

test("refuses by throwing", async () => {
  const body = bodyOf("tool.starting", { decision: { kind: "deny", reason: "no" } });
  const plugin = await openPlugin(["tool.execute.before"], body);
  await expect(plugin["tool.execute.before"]?.({}, { args: {} })).rejects.toThrow("no");
});

const bus = (type: string, properties: object) => ({ event: { type, properties } });
const session = (id: string, parentID?: string) =>
  bus("session.created", { sessionID: id, info: { id, ...(parentID !== undefined && { parentID }) } });
const busy = (sessionID: string) => bus("session.status", { sessionID, status: { type: "busy" } });

test("tells of one end of a prompt once, also where it ends with an error, and of the next again", async () => {
  const plugin = await openPlugin(["event:session.idle", "event:session.error"]);
  for (const event of [
    busy("s"),
    bus("session.error", { sessionID: "s", error: {} }),
    bus("session.idle", { sessionID: "s" }),
    bus("session.idle", { sessionID: "s" }),
    busy("s"),
    bus("session.idle", { sessionID: "s" }),
  ])
    await plugin.event(event);
  expect(told().map(({ hook }) => hook)).toEqual(["event:session.error", "event:session.idle"]);
});

test("says whose agent a session is, also where nobody asked to hear of its beginning", async () => {
  const plugin = await openPlugin(["event:session.idle"]);
  for (const event of [session("s"), session("a", "s"), bus("session.idle", { sessionID: "a" })])
    await plugin.event(event);
  await plugin.event(bus("session.idle", { sessionID: "s" }));
  expect(told().map(({ hook, parentID }) => [hook, parentID])).toEqual([
    ["event:session.idle", "s"],
    ["event:session.idle", undefined],
  ]);
});

test("starts no program for parts of messages that are no errors, nor for events that nobody asked for", async () => {
  const plugin = await openPlugin(["event:message.part.updated"]);
  const part = (state: object, type = "tool") =>
    bus("message.part.updated", { sessionID: "s", part: { type, state } });
  await plugin.event(part({ status: "running" }));
  await plugin.event(part({ status: "error" }, "text"));
  await plugin.event(bus("file.edited", {}));
  await plugin.event({ event: undefined });
  expect(told()).toEqual([]);
  await plugin.event(part({ status: "error", error: "no" }));
  expect(told()).toHaveLength(1);
});
