/** The contents of the operator's log, and the facts that it never contains. */
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLogger, type LogFields, type LogLevel } from "../../src/base/logger.ts";
import { propertyRuns } from "../../src/base/property-runs.fixture.ts";
import { openEmbedded } from "../support/embedded.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { type ModelReply, openScriptedModel } from "../support/scripted-model.ts";

interface Line {
  readonly level: string;
  readonly fields: LogFields & { readonly message: string };
}

async function openLogged(replies: readonly ModelReply[], { level = "info", key = "k" } = {}) {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const lines: string[] = [];
  const log = createLogger({
    level: level as LogLevel,
    format: "json",
    now: () => Date.now(),
    write: (line) => lines.push(line),
  });
  const login = `experimental_bearer_token = "${key}"`;
  const config = modelConfig(model.url).replace(/^(?:request|stream)_max_retries.*\n/gmu, "");
  const { heddle } = await openEmbedded(config.replace("wire_api", `${login}\nwire_api`), { log });
  return {
    heddle,
    text: () => lines.join(""),
    about: (message: string) =>
      lines
        .map((line) => JSON.parse(line) as Line)
        .filter(({ fields }) => fields.message === message)
        .map(({ level: at, fields }) => ({ at, ...fields, message: undefined })),
  };
}

const touching = (text: string, more: object = {}) =>
  reply("1", functionCallDone("call_1", "exec_command", { cmd: `touch ${text}`, login: false, ...more }));
const prompt = (text: string) => [{ type: "text" as const, text }];
const UNTRUSTED = { approvalPolicy: "untrusted", sandbox: "danger-full-access" } as const;
const count = expect.any(Number) as number;

describe("the log of a server", () => {
  test("has a line for a connection, a turn and a permission, each with its facts", async () => {
    const { heddle, about } = await openLogged([touching("made"), messageReply("Done", { id: "2" })]);
    const client = await heddle.connect({
      clientInfo: { name: "editor", title: null, version: "3" },
      approve: () => "decline",
    });
    const { thread } = await client.thread.start(UNTRUSTED);
    const turn = await client.runTurn({ threadId: thread.id, input: prompt("Hello") });
    await client.close();
    await heddle.close();

    expect(about("connection opened")).toEqual([
      { at: "INFO", connection: 0, transport: "memory", from: null },
    ]);
    expect(about("client introduced itself")).toEqual([
      { at: "INFO", connection: 0, client: "editor", version: "3" },
    ]);
    expect(about("connection closed")).toEqual([
      {
        at: "INFO",
        connection: 0,
        client: "editor",
        transport: "memory",
        durationMs: count,
        reason: "ended",
      },
    ]);
    const ids = { threadId: thread.id, turnId: turn.id };
    expect(about("turn begun")).toEqual([{ at: "INFO", ...ids, kind: "user" }]);
    const tokens = { inputTokens: 20, outputTokens: 10 };
    const end = { kind: "user", status: "completed", durationMs: count, ...tokens, retries: 0 };
    expect(about("turn ended")).toEqual([{ at: "INFO", ...ids, ...end }]);
    const asked = { at: "INFO", ...ids, itemId: expect.any(String) as string, kind: "command" };
    expect(about("permission asked")).toEqual([asked]);
    expect(about("permission answered")).toEqual([
      { ...asked, decision: "denied", by: "client", client: "editor", waitedMs: count },
    ]);
  });

  test("tells of a provider that fails, of each try, and of the turn that fails with it", async () => {
    const failing = [
      { status: 503, headers: { "retry-after": "0" } },
      { status: 400, body: "bad" },
    ];
    const { heddle, about } = await openLogged(failing);
    const client = await heddle.connect();
    const { thread } = await client.thread.start({});
    await client.runTurn({ threadId: thread.id, input: prompt("Hello") });
    expect(about("model request is sent again")).toEqual([
      { at: "WARN", provider: "mock", attempt: 1, status: 503 },
    ]);
    expect(about("turn ended")).toMatchObject([
      { at: "WARN", status: "failed", error: "other", httpStatus: null },
    ]);
  });

  test("tells of a stream that breaks and is asked for again", async () => {
    const broken = { events: [{ type: "response.created", response: { id: "r" } }] };
    const { heddle, about } = await openLogged([broken, messageReply("Done")]);
    const client = await heddle.connect();
    const { thread } = await client.thread.start({});
    await client.runTurn({ threadId: thread.id, input: prompt("Hello") });
    expect(about("model request failed and is retried")).toMatchObject([
      { at: "WARN", threadId: thread.id, attempt: 1, error: "responseStreamDisconnected", httpStatus: null },
    ]);
    expect(about("turn ended")).toMatchObject([{ status: "completed", retries: 1 }]);
  });

  test("hears nothing where nobody reads it", async () => {
    const { heddle, text } = await openLogged([messageReply("Done")], { level: "error" });
    const client = await heddle.connect();
    const { thread } = await client.thread.start({});
    await client.runTurn({ threadId: thread.id, input: prompt("Hello") });
    await client.close();
    expect(text()).toBe("");
  });
});

/** Texts that cannot occur by chance. */
const secret = fc.stringMatching(/^[a-z0-9]{16,40}$/u);

test("no prompt, answer, command, word of a provider or key is ever in the log", async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(secret, secret, secret, secret, secret), async (secrets) => {
      const [said, told, run, quoted, key] = secrets;
      const { heddle, text, about } = await openLogged(
        [
          touching(run),
          messageReply(told, { id: "2" }),
          { status: 400, body: { error: { message: `you said ${quoted}` } } },
        ],
        { level: "debug", key },
      );
      const client = await heddle.connect({ approve: () => "decline" });
      const { thread } = await client.thread.start(UNTRUSTED);
      await client.runTurn({ threadId: thread.id, input: prompt(said) });
      await client.runTurn({ threadId: thread.id, input: prompt(quoted) });
      await heddle.close();
      expect(about("turn ended")).toHaveLength(2);
      for (const each of secrets) expect(text()).not.toContain(each);
    }),
    propertyRuns(4),
  );
});
