/** Options of `heddle exec`: which settings apply, which model answers, which MCP servers run. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MCP_PROGRAM } from "../conformance/mcp-program.ts";
import { callHeddle } from "../support/call-heddle.ts";
import { itemsOf, setupExec } from "../support/exec-calls.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";

test("tools of an MCP server over stdio are called, and nobody is asked", async () => {
  const calls = ["echo", "fail", "ask"].map((name, at) =>
    reply(`${at}`, {
      type: "response.output_item.done",
      item: {
        type: "function_call",
        call_id: `c${at}`,
        name,
        namespace: "mcp__memo",
        arguments: '{"message":"hi"}',
      },
    }),
  );
  const { call, home } = await setupExec([...calls, messageReply("Done")], {
    config: { tables: '[mcp_servers.memo]\ncommand = "node"\nargs = ["memo.mjs"]\n' },
  });
  writeFileSync(join(home.workspace, "memo.mjs"), MCP_PROGRAM);
  const ended = await call(["--json", "Go"]);
  expect(ended.code).toBe(0);
  const made = itemsOf(ended).filter(
    ({ type, status }) => type === "mcp_tool_call" && status !== "in_progress",
  );
  expect(made).toMatchObject([
    { server: "memo", tool: "echo", arguments: { message: "hi" }, status: "completed", error: null },
    { server: "memo", tool: "fail", status: "failed" },
    { server: "memo", tool: "ask", status: "completed" },
  ]);
  expect(JSON.stringify(made[0]?.["result"])).toContain("hi");
  expect(JSON.stringify(made[2]?.["result"])).toContain("decline");
});

test("the user's configuration can be left out", async () => {
  const { call, modelRequests } = await setupExec();
  const ended = await call(["--ignore-user-config", "Hello"]);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Hello from the demo model") });
  expect(modelRequests()).toEqual([]);
});

test("rules about commands can be left out", async () => {
  const replies = [
    reply("0", functionCallDone("c", "exec_command", { cmd: "echo out" })),
    messageReply("Done"),
  ];
  const { call, home } = await setupExec([...replies, ...replies]);
  mkdirSync(join(home.home, "rules"), { recursive: true });
  writeFileSync(
    join(home.home, "rules", "default.rules"),
    'prefix_rule(pattern=["echo"], decision="forbidden")\n',
  );
  const unconfined = ["--json", "--yolo"];
  const commands = async (...args: string[]) =>
    itemsOf(await call([...unconfined, ...args, "Go"])).filter(
      ({ type, status }) => type === "command_execution" && status === "completed",
    );
  expect(await commands()).toEqual([]);
  expect(await commands("--ignore-rules")).toMatchObject([{ aggregated_output: "out\n", exit_code: 0 }]);
});

test("a model of this machine is asked for at the provider that is named or configured", async () => {
  const { start } = await setupExec([], { config: { root: 'oss_provider = "lmstudio"' } });
  const session = async (...args: string[]) => {
    const child = start(["--oss", ...args, "Go"]);
    // No provider listens there; the model and provider are printed before that matters.
    const [, ...told] = await child.stderrMatch(/^model: (.*)\nprovider: (.*)$/mu, 10_000);
    await child.stop();
    return told;
  };
  expect(await session()).toEqual(["openai/gpt-oss-20b", "lmstudio"]);
  expect(await session("--local-provider", "ollama")).toEqual(["gpt-oss:20b", "ollama"]);
  expect(await session("--local-provider", "ollama", "-m", "mine")).toEqual(["mine", "ollama"]);
});

test("without a provider there is no model of this machine", async () => {
  const { call } = await setupExec();
  expect(await call(["--oss", "Go"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      "Error: No default OSS provider configured. Use --local-provider=provider or set oss_provider to one of: lmstudio, ollama in config.toml\n",
    ),
  });
});

test("what a new thread is for can be said", async () => {
  const { call, home } = await setupExec();
  const { thread_id: id = "" } =
    (await call(["--json", "--thread-source", "nightly", "one"])).events[0] ?? {};
  const { thread_id: copy = "" } =
    (await call(["--json", "fork", id, "--thread-source", "copy"])).events[0] ?? {};
  const show = async (thread: string) =>
    JSON.parse((await callHeddle(home, ["threads", "show", thread])).stdout).thread;
  expect(await show(id)).toMatchObject({ threadSource: "nightly", forkedFromId: null });
  expect(await show(copy)).toMatchObject({ threadSource: "copy", forkedFromId: id });
});

test.each([
  ["--worktree", "make one with `git worktree add` and work there with --cd"],
  [
    "--approve-for-me",
    "there is no automatic review of approvals; choose what commands may touch with --sandbox",
  ],
  ["--cyber-access-program=standard", "it belongs to a hosted service"],
])("%s is refused with what to do", async (option, words) => {
  const { call } = await setupExec();
  const name = option.split("=")[0] ?? "";
  expect(await call([option, "Go"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(`error: the argument '${name}' is not supported: ${words}\n`),
  });
});
