/** `heddle exec` as programs and users call it, with a scripted model. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import { itemsOf, kindsOf, promptOf, setupExec, WHOLE_TURN } from "../support/exec-calls.ts";
import type { ExecEvent } from "../support/exec-harness.ts";
import {
  functionCallDone,
  messageDone,
  messageReply,
  reply,
  responseCreated,
} from "../support/model-events.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

test("a provider that cannot be reached is named with the cause, and given up after a stated time", async () => {
  const { call, model } = await setupExec();
  await model.close();
  const ended = await call(["--json", "--network-timeout", "1", "Hello"]);
  expect(ended.code).toBe(1);
  const cause = /Connection failed: error sending request: connect ECONNREFUSED 127\.0\.0\.1:\d+/u;
  expect(ended.events.find(({ type }) => type === "error")).toMatchObject({
    message: expect.stringMatching(cause),
  });
  expect(ended.events.at(-1)).toMatchObject({
    type: "turn.failed",
    error: {
      message: expect.stringMatching(/^the model provider was not reached within 1 seconds: .*ECONNREFUSED/u),
    },
  });
  expect((await call(["--network-timeout", "0", "Hello"])).code).toBe(2);
});

describe("a turn for programs", () => {
  test("is told in events, and nothing else is on stdout", async () => {
    const { call, model } = await setupExec();
    const ended = await call(["--experimental-json", "Hello"]);
    expect(ended).toMatchObject({ code: 0, stderr: "Reading additional input from stdin...\n" });
    expect(kindsOf(ended)).toEqual(WHOLE_TURN);
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
    const { call, home } = await setupExec(
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
    const shown = itemsOf(ended).filter(({ type }) => type !== "error");
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
        { id: "item_2", type: "todo_list", items: [{ text: "one", completed: false }] },
        { id: "item_2", type: "todo_list", items: [{ text: "one", completed: true }] },
        expect.objectContaining({ type: "web_search", query: "q", action: { type: "search", query: "q" } }),
        expect.objectContaining({ type: "agent_message", text: "Done" }),
      ]),
    );
    expect(ended.events.filter(({ item }) => item?.type === "todo_list").map(({ type }) => type)).toEqual([
      "item.started",
      "item.updated",
      "item.completed",
    ]);
    const numbers = [...new Set(itemsOf(ended).map(({ id }) => id))];
    expect(numbers).toEqual(numbers.map((_, at) => `item_${at}`));
  });

  test("that fails ends with code 1 and says why", async () => {
    const { call } = await setupExec([{ status: 401, body: { error: { message: "bad key" } } }]);
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
    const { call } = await setupExec([{ events: [responseCreated("r")] }]);
    const { code, events } = await call(["--json", "Go"]);
    expect(code).toBe(1);
    expect(events.at(-1)).toMatchObject({
      type: "turn.failed",
      error: { message: expect.stringContaining("stream disconnected before completion:") },
    });
  });

  test("is written a line at a time, each in one piece", async () => {
    const { start } = await setupExec([messageReply("x".repeat(20_000))]);
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
    const { call, home } = await setupExec([
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
    const { call } = await setupExec();
    expect((await call(["--color", "always", "Go"])).stderr).toContain("\u001b[32mheddle\u001b[0m\n");
    expect((await call(["--color", "auto", "Go"])).stderr).not.toContain("\u001b");
  });

  test("that fails says so, has nothing on stdout and leaves the file of the last message alone", async () => {
    const { call, home } = await setupExec([{ status: 401, body: { error: { message: "bad key" } } }]);
    expect(await call(["-o", "last.txt", "Go"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("ERROR: unexpected status 401 Unauthorized: bad key"),
    });
    expect(existsSync(join(home.workspace, "last.txt"))).toBe(false);
  });

  test("that says nothing leaves an empty file, with a warning", async () => {
    const { call, home } = await setupExec([reply("1")]);
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
  const { call, modelRequests } = await setupExec();
  await call(["--json"], { stdin: "Piped" });
  await call(["--json", "-"], { stdin: "Piped" });
  await call(["--json", "Do"], { stdin: "this" });
  expect(modelRequests().map(promptOf)).toEqual(["Piped", "Piped", "Do\n\n<stdin>\nthis\n</stdin>"]);
  expect(await call(["--json"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "Reading prompt from stdin...\nNo prompt provided via stdin.\n",
  });
});

test("a folder in no repository is refused unless it is allowed", async () => {
  const { call } = await setupExec(undefined, { isRepository: false });
  expect(await call(["--json", "Go"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^Not inside a trusted directory and --skip-git-repo-check was not specified\.\n\S+ is in no Git repository, .* run `git init`, or use --skip-git-repo-check\.\n$/mu,
    ),
  });
  expect(kindsOf(await call(["--json", "--skip-git-repo-check", "Go"]))).toEqual(WHOLE_TURN);
  expect(kindsOf(await call(["--json", "--yolo", "Go"]))).toEqual(WHOLE_TURN);
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
    const shown = block("jsonl").map((line) => JSON.parse(line) as ExecEvent);
    const { call } = await setupExec([
      reply("1", functionCallDone("c1", "exec_command", { cmd: "ls" })),
      messageReply("There is a README."),
    ]);
    const { events } = await call(["--json", "-s", "danger-full-access", "Go"]);
    const shapeOf = ({ type, item, ...rest }: ExecEvent) => [
      type,
      item?.type,
      Object.keys(item ?? {}).sort(),
      Object.keys(rest).sort(),
      Object.keys(rest.usage ?? {}),
    ];
    expect(shown.map(shapeOf)).toEqual(events.filter(({ item }) => item?.type !== "error").map(shapeOf));
  });
});
