/** Turns and threads of `heddle exec`, and its exit. */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { PNG } from "../../src/tools/view-image/images.fixture.ts";
import { Child } from "../support/child.ts";
import { kindsOf, promptOf, setupExec, WHOLE_TURN } from "../support/exec-calls.ts";
import type { ModelRequestBody } from "../support/exec-harness.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { HEDDLE, serverEnvironment, startServer } from "../support/start-server.ts";

describe("what is asked of the turn", () => {
  test("model, effort, folders and sandbox", async () => {
    const { call, modelRequests, home } = await setupExec();
    await mkdir(join(home.workspace, "sub"));
    const args = ["-C", "sub", "--add-dir", "../extra", "-s", "workspace-write", "-m", "other"];
    const { stderr } = await call([...args, "-c", "model_reasoning_effort=high", "Go"]);
    const sub = join(home.workspace, "sub");
    const extra = join(home.workspace, "extra");
    expect(stderr).toContain(`\nworkdir: ${sub}\nmodel: other\n`);
    expect(stderr).toContain(`\nsandbox: workspace-write [workdir, /tmp, $TMPDIR, ${extra}]\n`);
    expect(modelRequests()[0]).toMatchObject({ model: "other", reasoning: { effort: "high" } });
    expect(JSON.stringify(modelRequests()[0]?.input)).toContain(`<root>${sub}</root><root>${extra}</root>`);
  });

  test("nothing is ever asked, whatever is configured", async () => {
    const { call } = await setupExec();
    const { stderr } = await call(["-c", "approval_policy=on-request", "Go"]);
    expect(stderr).toContain("\napproval: never\n");
  });

  test("a schema for the last message", async () => {
    const { call, modelRequests, home } = await setupExec();
    const schema = { type: "object", properties: {}, additionalProperties: false };
    await writeFile(join(home.workspace, "schema.json"), JSON.stringify(schema));
    await writeFile(join(home.workspace, "bad.json"), "{");
    expect((await call(["--json", "--output-schema", "schema.json", "Go"])).code).toBe(0);
    expect(modelRequests()[0]?.text).toEqual({
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
    const { call, modelRequests, home } = await setupExec();
    await writeFile(join(home.workspace, "a.png"), Buffer.from(PNG, "base64"));
    await call(["--json", "-i", "a.png", "--image", "a.png", "--", "Go"]);
    await call(["--json", "resume", "--last", "-i", "a.png", "again"]);
    const images = modelRequests().map(({ input }) =>
      input.at(-1)?.content.filter(({ type }) => type === "input_image"),
    );
    expect(images.map((found) => found?.length)).toEqual([2, 1]);
    expect(modelRequests().map(promptOf)).toEqual(["Go", "again"]);
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
    const { call } = await setupExec();
    expect(await call(args)).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(stderr) });
  });
});

describe("a thread", () => {
  const said = ({ input }: ModelRequestBody) =>
    input
      .filter(({ role }) => role === "user")
      .map(({ content }) => content[0]?.text)
      .slice(1);

  test("goes on, by its id, its name or as the newest one of the folder", async () => {
    const { call, modelRequests, home } = await setupExec();
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
    expect(said(modelRequests().at(-1) as ModelRequestBody)).toEqual(["one", "two", "three", "four"]);
    await mkdir(join(home.workspace, "sub"));
    const elsewhere = await call(["--json", "-C", "sub", "resume", "--last", "five"]);
    expect(elsewhere.events[0]?.thread_id).not.toBe(id);
    expect((await call(["--json", "resume", "no such name", "six"])).events[0]?.thread_id).not.toBe(id);
  });

  test("that is not there is told", async () => {
    const { call } = await setupExec();
    const id = "00000000-0000-7000-8000-000000000000";
    expect(await call(["--json", "resume", id, "x"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `Error: thread/resume: thread/resume failed: no rollout found for thread id ${id} (code -32600)\n`,
    });
  });

  test("that is ephemeral leaves nothing, and another is known to come from exec", async () => {
    const { call, home } = await setupExec();
    expect(kindsOf(await call(["--json", "--ephemeral", "gone"]))).toEqual(WHOLE_TURN);
    expect(existsSync(join(home.home, "heddle.sqlite"))).toBe(false);
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
    const { start, home } = await setupExec([reply("1", functionCallDone("c1", "exec_command", command))]);
    const child = start(["--json", "-s", "danger-full-access", "Go"]);
    let output = "";
    const began = new Promise<void>((resolve) => {
      child.onStdout((text) => {
        output += text;
        if (output.includes('"item.started"')) resolve();
      });
    });
    await began;
    const pid = await waitForPid(join(home.workspace, "pid"));
    child.signal(signal);
    expect(await child.exit).toEqual(end);
    expect(output.trimEnd().split("\n").at(-1)).toContain('"type":"item.started"');
    expect(child.stderr).toBe("Reading additional input from stdin...\n");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  test("comes quietly when nobody reads on", async () => {
    const { home, model } = await setupExec([messageReply("Hi", { held: true })]);
    const command = `"$0" "$@" | { head -n 1; exec 0<&-; touch gone; }; echo "\${PIPESTATUS[0]}"`;
    const child = new Child({
      command: "bash",
      args: ["-c", command, HEDDLE.command, ...HEDDLE.args, "exec", "--json", "Go"],
      cwd: home.workspace,
      env: serverEnvironment(home),
    });
    onTestFinished(() => child.stop().then(() => {}));
    child.endInput();
    await expect.poll(() => existsSync(join(home.workspace, "gone")), { timeout: 20_000 }).toBe(true);
    model.release();
    await child.exit;
    expect(model.requests.length).toBeLessThanOrEqual(1);
    expect(child.stdout).toMatch(/^\{"type":"thread.started"[^\n]*\n1\n$/u);
    expect(child.stderr).toBe("Reading additional input from stdin...\n");
  });
});

test("the caller's name and key are used, and its environment need not name a PATH", async () => {
  const { home, model } = await setupExec();
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

/** A command writes the file as soon as it runs. */
async function waitForPid(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
