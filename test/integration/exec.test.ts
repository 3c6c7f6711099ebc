/** `heddle exec` as programs and people call it, with a scripted model behind it. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { PNG } from "../../src/tools/view-image/images.fixture.ts";
import { Child } from "../support/child.ts";
import { type ModelConfig, modelConfig } from "../support/model-config.ts";
import {
  functionCallDone,
  messageDone,
  messageReply,
  reply,
  responseCreated,
} from "../support/model-events.ts";
import { type ModelReply, openScriptedModel, type ScriptedModel } from "../support/scripted-model.ts";
import { HEDDLE, type Program, serverEnvironment, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

interface CallOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: Program;
}

interface Place {
  readonly home: TempHome;
  readonly model: ScriptedModel;
  /** A call that runs. */
  start(args: readonly string[], options?: CallOptions): Child;
  /** A call that has ended. */
  call(args: readonly string[], options?: CallOptions): Promise<Ended>;
  /** The bodies of the requests that the model got. */
  asked(): Asked[];
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: Event[];
}

type Event = {
  readonly type: string;
  readonly thread_id?: string;
  readonly item?: Item;
  readonly usage?: object;
};
type Item = { readonly id: string; readonly type: string } & Readonly<Record<string, unknown>>;
type Asked = {
  readonly model: string;
  readonly text?: unknown;
  readonly reasoning?: unknown;
  readonly input: readonly { readonly role?: string; readonly content: { type: string; text?: string }[] }[];
};

const SAYS_HI = messageReply("Hi there");

async function openPlace(
  replies: readonly ModelReply[] = [SAYS_HI],
  {
    config,
    isRepository = true,
    under,
  }: { config?: ModelConfig; isRepository?: boolean; under?: string } = {},
): Promise<Place> {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const home = await createTempHome({
    config: modelConfig(model.url, config),
    ...(under === undefined ? {} : { under }),
  });
  onTestFinished(() => home.remove());
  if (isRepository) execFileSync("git", ["init", "--quiet", home.workspace]);

  function start(
    args: readonly string[],
    { stdin = "", env = {}, program = HEDDLE }: CallOptions = {},
  ): Child {
    const child = new Child({
      command: program.command,
      args: [...program.args, "exec", ...args],
      cwd: home.workspace,
      env: serverEnvironment(home, env),
    });
    onTestFinished(() => child.stop().then(() => {}));
    child.write(stdin);
    child.endInput();
    return child;
  }

  return {
    home,
    model,
    start,
    async call(args, options) {
      const child = start(args, options);
      const { code, signal } = await child.exit;
      const { stdout, stderr } = child;
      const lines = stdout.startsWith("{") ? stdout.trimEnd().split("\n") : [];
      return { code, signal, stdout, stderr, events: lines.map((line) => JSON.parse(line) as Event) };
    },
    asked: () =>
      model.requests.filter(({ path }) => path.endsWith("/responses")).map(({ body }) => body as Asked),
  };
}

const items = ({ events }: Ended) => events.flatMap(({ item }) => (item === undefined ? [] : [item]));
const kinds = ({ events }: Ended) =>
  events.map(({ type, item }) => (item === undefined ? type : `${type} ${item.type} ${item.id}`));
/** Its own warning that the model is not known is the first item of every turn. */
const UNKNOWN_MODEL = "item.completed error item_0";
const WHOLE_TURN = [
  "thread.started",
  UNKNOWN_MODEL,
  "turn.started",
  "item.completed agent_message item_1",
  "turn.completed",
];
const promptOf = (asked: Asked | undefined) => asked?.input.at(-1)?.content.at(-1)?.text;

describe("a turn for programs", () => {
  test("is told in events, and nothing else is on stdout", async () => {
    const { call, model } = await openPlace();
    const ended = await call(["--experimental-json", "Hello"]);
    expect(ended).toMatchObject({ code: 0, stderr: "Reading additional input from stdin...\n" });
    expect(kinds(ended)).toEqual(WHOLE_TURN);
    expect(ended.events[0]?.thread_id).toMatch(/^[0-9a-f-]{36}$/u);
    expect(ended.events.at(-1)?.usage).toEqual({
      input_tokens: 10,
      cached_input_tokens: 0,
      cache_write_input_tokens: 0,
      output_tokens: 5,
      reasoning_output_tokens: 0,
    });
    expect(model.requests[0]?.headers["originator"]).toBe("codex_exec");
  });

  test("shows what the agent did", async () => {
    const patch = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n";
    const planned = (...plan: readonly (readonly [string, string])[]) => ({
      plan: plan.map(([step, status]) => ({ step, status })),
    });
    const { call, home } = await openPlace(
      [
        reply(
          "0",
          {
            type: "response.output_item.done",
            item: {
              type: "reasoning",
              id: "rs",
              summary: [{ type: "summary_text", text: "Think" }],
              content: null,
            },
          },
          functionCallDone("c0", "update_plan", planned(["one", "in_progress"])),
        ),
        reply("1", functionCallDone("c1", "exec_command", { cmd: "echo out; exit 3" })),
        reply("2", functionCallDone("c2", "exec_command", { cmd: `apply_patch <<'EOF'\n${patch}EOF\n` })),
        reply("3", functionCallDone("c3", "update_plan", planned(["one", "completed"]))),
        reply(
          "4",
          {
            type: "response.output_item.done",
            item: {
              type: "web_search_call",
              id: "ws",
              status: "completed",
              action: { type: "search", query: "q" },
            },
          },
          messageDone("m4", "Done"),
        ),
      ],
      { config: { tables: "[tools.update_plan]\nenabled = true\n" } },
    );
    const ended = await call(["--json", "--sandbox", "danger-full-access", "Go"]);
    const shown = items(ended).filter(({ type }) => type !== "error");
    expect(shown).toEqual(
      expect.arrayContaining([
        { id: "item_1", type: "reasoning", text: "Think" },
        expect.objectContaining({ type: "command_execution", status: "in_progress", exit_code: null }),
        expect.objectContaining({
          type: "command_execution",
          aggregated_output: "out\n",
          exit_code: 3,
          status: "failed",
        }),
        expect.objectContaining({
          type: "file_change",
          changes: [{ path: join(home.workspace, "new.txt"), kind: "add" }],
          status: "completed",
        }),
        expect.objectContaining({ type: "web_search", query: "q", action: { type: "search", query: "q" } }),
        expect.objectContaining({ type: "agent_message", text: "Done" }),
      ]),
    );
    const numbers = [...new Set(items(ended).map(({ id }) => id))];
    expect(numbers).toEqual(numbers.map((_, at) => `item_${at}`));
  });

  test("that fails ends with code 1 and says why", async () => {
    const { call } = await openPlace([{ status: 401, body: { error: { message: "bad key" } } }]);
    const ended = await call(["--json", "-o", "last.txt", "Go"]);
    const message = expect.stringContaining("unexpected status 401 Unauthorized: bad key");
    expect(ended.code).toBe(1);
    expect(ended.events.slice(2)).toEqual([
      { type: "turn.started" },
      { type: "error", message },
      { type: "turn.failed", error: { message } },
    ]);
  });

  test("whose answer breaks off says so in the words that clients look for", async () => {
    const { call } = await openPlace([{ events: [responseCreated("r")] }]);
    const { code, events } = await call(["--json", "Go"]);
    expect(code).toBe(1);
    expect(events.at(-1)).toMatchObject({
      type: "turn.failed",
      error: { message: expect.stringContaining("stream disconnected before completion:") },
    });
  });

  test("is written a line at a time, each in one piece", async () => {
    const { start } = await openPlace([messageReply("x".repeat(20_000))]);
    const child = start(["--json", "Go"]);
    const pieces: string[] = [];
    child.onStdout((text) => pieces.push(text));
    await child.exit;
    expect(pieces.length).toBeGreaterThan(0);
    for (const piece of pieces) expect(piece.endsWith("\n")).toBe(true);
  });
});

describe("a turn for people", () => {
  test("has the last message alone on stdout, and the work on stderr", async () => {
    const { call, home } = await openPlace([
      reply("1", functionCallDone("c1", "exec_command", { cmd: "echo out; exit 3" })),
      reply("2", messageDone("m", "Done \u001b[31mhere")),
    ]);
    const { code, stdout, stderr } = await call(["--sandbox", "danger-full-access", "-o", "last.txt", "Go"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done \u001b[31mhere\n" });
    expect(await readFile(join(home.workspace, "last.txt"), "utf8")).toBe("Done \u001b[31mhere");
    expect(
      stderr
        .replace(/[0-9a-f-]{36}/u, "ID")
        .replaceAll(/in \d+ms/gu, "in Nms")
        .split("\n"),
    ).toEqual([
      "Reading additional input from stdin...",
      "heddle 0.1.0",
      "--------",
      `workdir: ${home.workspace}`,
      "model: mock-model",
      "provider: mock",
      "approval: never",
      "sandbox: danger-full-access",
      "reasoning effort: none",
      "session id: ID",
      "--------",
      "user",
      "Go",
      expect.stringMatching(/^warning: Model metadata/u),
      "exec",
      expect.stringContaining(`exit 3' in ${home.workspace}`),
      " exited 3 in Nms:",
      "out",
      "",
      "heddle",
      "Done \\u{1b}[31mhere",
      "tokens used",
      "30",
      "",
    ]);
  });

  test("has colours where they are asked for", async () => {
    const { call } = await openPlace();
    expect((await call(["--color", "always", "Go"])).stderr).toContain("\u001b[32mheddle\u001b[0m\n");
    expect((await call(["--color", "auto", "Go"])).stderr).not.toContain("\u001b");
  });

  test("that fails says so, has nothing on stdout and leaves the file of the last message alone", async () => {
    const { call, home } = await openPlace([{ status: 401, body: { error: { message: "bad key" } } }]);
    expect(await call(["-o", "last.txt", "Go"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("ERROR: unexpected status 401 Unauthorized: bad key"),
    });
    expect(existsSync(join(home.workspace, "last.txt"))).toBe(false);
  });

  test("that says nothing leaves an empty file, with a warning", async () => {
    const { call, home } = await openPlace([reply("1")]);
    const { code, stderr } = await call(["-o", "last.txt", "Go"]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("Warning: no last agent message; wrote empty content to last.txt"),
    });
    expect(await readFile(join(home.workspace, "last.txt"), "utf8")).toBe("");
    expect((await call(["-o", "/nowhere/last", "Go"])).stderr).toContain(
      'Failed to write last message file "/nowhere/last": No such file or directory (os error 2)',
    );
  });
});

test("the prompt comes from stdin, alone or beside a word", async () => {
  const { call, asked } = await openPlace();
  await call(["--json"], { stdin: "Piped" });
  await call(["--json", "-"], { stdin: "Piped" });
  await call(["--json", "Do"], { stdin: "this" });
  expect(asked().map(promptOf)).toEqual(["Piped", "Piped", "Do\n\n<stdin>\nthis\n</stdin>"]);
  expect(await call(["--json"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "Reading prompt from stdin...\nNo prompt provided via stdin.\n",
  });
});

test("a folder in no repository is refused unless it is allowed", async () => {
  const { call } = await openPlace([SAYS_HI], { isRepository: false });
  expect(await call(["--json", "Go"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(
      "Not inside a trusted directory and --skip-git-repo-check was not specified.\n",
    ),
  });
  expect(kinds(await call(["--json", "--skip-git-repo-check", "Go"]))).toEqual(WHOLE_TURN);
  expect(kinds(await call(["--json", "--yolo", "Go"]))).toEqual(WHOLE_TURN);
});

describe("what is asked of the turn", () => {
  test("model, effort, folders and sandbox", async () => {
    const { call, asked, home } = await openPlace();
    await mkdir(join(home.workspace, "sub"));
    const args = ["-C", "sub", "--add-dir", "../extra", "-s", "workspace-write", "-m", "other"];
    const { stderr } = await call([...args, "-c", "model_reasoning_effort=high", "Go"]);
    const sub = join(home.workspace, "sub");
    const extra = join(home.workspace, "extra");
    expect(stderr).toContain(`\nworkdir: ${sub}\nmodel: other\n`);
    expect(stderr).toContain(`\nsandbox: workspace-write [workdir, /tmp, $TMPDIR, ${extra}]\n`);
    expect(asked()[0]).toMatchObject({ model: "other", reasoning: { effort: "high" } });
    expect(JSON.stringify(asked()[0]?.input)).toContain(`<root>${sub}</root><root>${extra}</root>`);
  });

  test("nothing is ever asked, whatever is configured", async () => {
    const { call } = await openPlace();
    const { stderr } = await call(["-c", "approval_policy=on-request", "Go"]);
    expect(stderr).toContain("\napproval: never\n");
  });

  test("a schema for the last message", async () => {
    const { call, asked, home } = await openPlace();
    const schema = { type: "object", properties: {}, additionalProperties: false };
    await writeFile(join(home.workspace, "schema.json"), JSON.stringify(schema));
    await writeFile(join(home.workspace, "bad.json"), "{");
    expect((await call(["--json", "--output-schema", "schema.json", "Go"])).code).toBe(0);
    expect(asked()[0]?.text).toEqual({
      format: { type: "json_schema", strict: true, schema, name: "codex_output_schema" },
    });
    expect(await call(["--json", "--output-schema", "bad.json", "Go"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("Output schema file bad.json is not valid JSON: "),
    });
    expect((await call(["--output-schema", "none.json", "Go"])).stderr).toContain(
      "Failed to read output schema file none.json: No such file or directory (os error 2)",
    );
  });

  test("images, from files", async () => {
    const { call, asked, home } = await openPlace();
    await writeFile(join(home.workspace, "a.png"), Buffer.from(PNG, "base64"));
    await call(["--json", "-i", "a.png", "--image", "a.png", "--", "Go"]);
    await call(["--json", "resume", "--last", "-i", "a.png", "again"]);
    const images = asked().map(({ input }) =>
      input.at(-1)?.content.filter(({ type }) => type === "input_image"),
    );
    expect(images.map((found) => found?.length)).toEqual([2, 1]);
    expect(asked().map(promptOf)).toEqual(["Go", "again"]);
  });

  test.each([
    [
      ["--cd", "nowhere", "Go"],
      1,
      /^Error: cannot work in .*nowhere: No such file or directory \(os error 2\)$/mu,
    ],
    [["--enable", "nothing", "Go"], 1, /Error: Unknown feature flag: nothing/u],
    [["-c", "model_provider=nobody", "Go"], 1, /Model provider `nobody` not found/u],
    [["-c", "model", "Go"], 1, /error parsing -c overrides: Invalid override \(missing '='\): model/u],
    [["--bogus"], 2, /^error: unexpected argument '--bogus' found$/mu],
  ])("%j is refused", async (args, code, stderr) => {
    const { call } = await openPlace();
    expect(await call(args)).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(stderr) });
  });
});

describe("a thread", () => {
  const said = ({ input }: Asked) =>
    input
      .filter(({ role }) => role === "user")
      .map(({ content }) => content[0]?.text)
      .slice(1);

  test("goes on, by its id, its name or as the newest one of the folder", async () => {
    const { call, asked, home } = await openPlace();
    const { thread_id: id = "" } = (await call(["--json", "one"])).events[0] ?? {};
    const server = await startServer({ home });
    onTestFinished(() => server.stop().then(() => {}));
    const client = await server.connect();
    await client.result("initialize", { clientInfo: { name: "namer", version: "1" } });
    await client.result("thread/name/set", { threadId: id, name: "mine" });
    await server.stop();
    for (const args of [
      ["resume", id, "two"],
      ["resume", "--last", "three"],
      ["resume", "mine", "four"],
    ])
      expect((await call(["--json", ...args])).events[0]).toEqual({ type: "thread.started", thread_id: id });
    expect(said(asked().at(-1) as Asked)).toEqual(["one", "two", "three", "four"]);
    await mkdir(join(home.workspace, "sub"));
    const elsewhere = await call(["--json", "-C", "sub", "resume", "--last", "five"]);
    expect(elsewhere.events[0]?.thread_id).not.toBe(id);
    expect((await call(["--json", "resume", "no such name", "six"])).events[0]?.thread_id).not.toBe(id);
  });

  test("that is not there is told", async () => {
    const { call } = await openPlace();
    const id = "00000000-0000-7000-8000-000000000000";
    expect(await call(["--json", "resume", id, "x"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `Error: thread/resume: thread/resume failed: no rollout found for thread id ${id} (code -32600)\n`,
    });
  });

  test("that is ephemeral leaves nothing, and another is known to come from exec", async () => {
    const { call, home } = await openPlace();
    expect(kinds(await call(["--json", "--ephemeral", "gone"]))).toEqual(WHOLE_TURN);
    await call(["--json", "kept"]);
    const server = await startServer({ home });
    onTestFinished(() => server.stop().then(() => {}));
    const client = await server.connect();
    await client.result("initialize", { clientInfo: { name: "looker", version: "1" } });
    expect(await client.result("thread/list", {})).toMatchObject({ data: [] });
    expect(await client.result("thread/list", { sourceKinds: ["exec"] })).toMatchObject({
      data: [{ preview: "kept", source: "exec", threadSource: "user", originator: "codex_exec" }],
    });
  });
});

describe("the end", () => {
  test.each([
    ["SIGINT", { code: 1, signal: null }],
    ["SIGTERM", { code: null, signal: "SIGTERM" }],
  ] as const)("by %s interrupts the turn first, and ends its command", async (signal, end) => {
    const command = { cmd: "echo $$ > pid; exec sleep 600", yield_time_ms: 60_000 };
    const { start, home } = await openPlace([reply("1", functionCallDone("c1", "exec_command", command))]);
    const child = start(["--json", "-s", "danger-full-access", "Go"]);
    let heard = "";
    const began = new Promise<void>((resolve) => {
      child.onStdout((text) => {
        heard += text;
        if (heard.includes('"item.started"')) resolve();
      });
    });
    await began;
    const pid = await waitForPid(join(home.workspace, "pid"));
    child.signal(signal);
    expect(await child.exit).toEqual(end);
    expect(heard.trimEnd().split("\n").at(-1)).toContain('"type":"item.started"');
    expect(child.stderr).toBe("Reading additional input from stdin...\n");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  test("comes quietly when nobody reads on", async () => {
    const { home, model } = await openPlace([messageReply("Hi", { held: true })]);
    const command = `"$0" "$@" | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const child = new Child({
      command: "bash",
      args: ["-c", command, HEDDLE.command, ...HEDDLE.args, "exec", "--json", "Go"],
      cwd: home.workspace,
      env: serverEnvironment(home),
    });
    onTestFinished(() => child.stop().then(() => {}));
    child.endInput();
    await child.exit;
    expect(model.requests.length).toBeLessThanOrEqual(1);
    expect(child.stdout).toMatch(/^\{"type":"thread.started"[^\n]*\n1\n$/u);
    expect(child.stderr).toBe("Reading additional input from stdin...\n");
  });
});

test("the caller's name and key are used, and its environment need not name a PATH", async () => {
  const { home, model } = await openPlace();
  const { PATH: _, ...env } = serverEnvironment(home, {
    CODEX_INTERNAL_ORIGINATOR_OVERRIDE: "codex_sdk_ts",
    CODEX_API_KEY: "key",
  });
  const child = new Child({
    command: HEDDLE.command,
    args: [
      ...HEDDLE.args,
      "exec",
      "--json",
      "-c",
      "model_provider=openai",
      "-c",
      `openai_base_url=${model.url}/v1`,
    ],
    cwd: home.workspace,
    env,
  });
  onTestFinished(() => child.stop().then(() => {}));
  child.write("Go");
  child.endInput();
  expect(await child.exit).toEqual({ code: 0, signal: null });
  const [request] = model.requests.filter(({ path }) => path.endsWith("/responses"));
  expect(request?.headers).toMatchObject({ originator: "codex_sdk_ts", authorization: "Bearer key" });
});

describe("docs/exec.md", () => {
  const page = readFileSync("docs/exec.md", "utf8");
  const block = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "msu").exec(page)?.[1]?.trimEnd().split("\n") ?? [];

  test("its commands run one after the other", async () => {
    const home = await createTempHome();
    onTestFinished(() => home.remove());
    execFileSync("git", ["init", "--quiet", home.workspace]);
    const heddle = [HEDDLE.command, ...HEDDLE.args].map((word) => `'${word}'`).join(" ");
    const script = ["set -e -o pipefail", `heddle() { ${heddle} "$@"; }`, ...block("sh")].join("\n");
    const child = new Child({
      command: "bash",
      args: ["-c", script],
      cwd: home.workspace,
      env: serverEnvironment(home),
    });
    onTestFinished(() => child.stop().then(() => {}));
    child.endInput();
    expect(await child.exit).toEqual({ code: 0, signal: null });
    expect(block("sh")).toHaveLength(5);
    const written = (name: string) => readFileSync(join(home.workspace, name), "utf8");
    expect(written("review.md")).toContain("Review this change");
    expect(written("answer.txt")).toContain("Fix the tests");
    expect(written("events.jsonl").trimEnd().split("\n").at(-1)).toContain('"type":"turn.completed"');
  });

  test("its events are those of a turn", async () => {
    const shown = block("jsonl").map((line) => JSON.parse(line) as Event);
    const { call } = await openPlace([
      reply("1", functionCallDone("c1", "exec_command", { cmd: "ls" })),
      messageReply("There is a README."),
    ]);
    const { events } = await call(["--json", "-s", "danger-full-access", "Go"]);
    const shapeOf = ({ type, item, ...rest }: Event) => [
      type,
      item?.type,
      Object.keys(item ?? {}).sort(),
      Object.keys(rest).sort(),
      Object.keys(rest.usage ?? {}),
    ];
    expect(shown.map(shapeOf)).toEqual(events.filter(({ item }) => item?.type !== "error").map(shapeOf));
  });
});

/** A command writes it as soon as it runs. */
async function waitForPid(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
