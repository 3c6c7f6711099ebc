/** Requirements of an administrator: no thread gets settings that requirements.toml forbids. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { initialize } from "../support/approval-harness.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { testWith } from "../support/needs-program.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { HEDDLE, startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

/** A server with these requirements, configured to never ask, and a model that lists a folder. */
async function start(requirements: string) {
  const call = functionCallDone("c", "exec_command", { cmd: "ls /" });
  const model = await openScriptedModel([reply("1", call), messageReply("Done", { id: "2" })]);
  const home = await createTempHome({ config: modelConfig(model.url) });
  const file = join(home.user, "requirements.toml");
  writeFileSync(file, requirements);
  const etc = ["--tmpfs", "/etc", "--ro-bind-try", "/etc/passwd", "/etc/passwd"];
  const own = ["--ro-bind", file, "/etc/codex/requirements.toml", HEDDLE.command, ...HEDDLE.args];
  const program = { command: "bwrap", args: ["--dev-bind", "/", "/", ...etc, ...own] };
  const server = await startServer({ home, program });
  onTestFinished(async () => {
    await server.stop();
    await model.close();
    await home.remove();
  });
  const client = await server.connect();
  await initialize(client, "editor");
  const startThread = (params = {}) => client.result("thread/start", { cwd: home.workspace, ...params });
  const warnings = () =>
    client.received.flatMap(({ message }) =>
      message["method"] === "configWarning" ? [(message["params"] as { summary: string }).summary] : [],
    );
  return { client, model, startThread, warnings };
}

const CALM = 'allowed_approval_policies = ["on-request"]\nallowed_sandbox_modes = ["read-only"]\n';
const NO_NEVER =
  "invalid value for `approval_policy`: `Never` is not in the allowed set [OnRequest] (set by /etc/codex/requirements.toml)";
const NO_DANGER =
  "invalid value for `sandbox_mode`: `DangerFullAccess` is not in the allowed set [ReadOnly] (set by /etc/codex/requirements.toml)";

testWith("bwrap", "what is not allowed gives way in a new thread, and the client is told", async () => {
  const { startThread, warnings } = await start(CALM);
  const thread = await startThread({ sandbox: "danger-full-access" });
  expect(thread).toMatchObject({ approvalPolicy: "on-request", sandbox: { type: "readOnly" } });
  const instead = (setting: string, value: string) =>
    `Configured value for \`${setting}\` is disallowed by requirements; falling back to required value ${value}. Details: `;
  expect(warnings()).toEqual([
    instead("approval_policy", "OnRequest") + NO_NEVER,
    instead("sandbox_mode", "ReadOnly") + NO_DANGER,
  ]);
});

testWith("bwrap", "what is not allowed is refused to a thread that is there, and to a command", async () => {
  const { client, startThread } = await start(CALM);
  const { thread } = (await startThread()) as { thread: { id: string } };
  const threadId = thread.id;
  const danger = { sandboxPolicy: { type: "dangerFullAccess" } };
  const answers = [
    await client.request("turn/start", { threadId, input: [], approvalPolicy: "never" }),
    await client.request("thread/settings/update", { threadId, ...danger }),
    await client.request("thread/settings/update", { threadId, permissions: ":danger-full-access" }),
    await client.request("command/exec", { command: ["true"], ...danger }),
  ];
  expect(answers.map(({ error }) => error)).toEqual([
    { code: -32600, message: `invalid thread settings override: ${NO_NEVER}` },
    { code: -32600, message: `invalid thread settings override: ${NO_DANGER}` },
    { code: -32600, message: `invalid thread settings override: ${NO_DANGER}` },
    { code: -32600, message: `invalid sandbox policy: ${NO_DANGER}` },
  ]);
});

testWith("bwrap", "a rule of the administrator counts over one of the user", async () => {
  const forbidden = '[rules]\nprefix_rules = [{ pattern = [{ token = "ls" }], decision = "forbidden" }]\n';
  const { client, model, startThread } = await start(forbidden);
  const { thread } = (await startThread({ sandbox: "danger-full-access" })) as { thread: { id: string } };
  await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "List" }] });
  await client.next({ method: "turn/completed" });
  const lastRequest = JSON.stringify(model.requests.at(-1)?.body);
  expect(lastRequest).toContain("exec_command failed");
  expect(lastRequest).toContain("Rejected");
});

testWith("bwrap", "what is not enforced is named", async () => {
  const { startThread, warnings } = await start('enforce_residency = "us"\n');
  await startThread();
  expect(warnings()).toEqual([
    "Heddle does not enforce these requirements of /etc/codex/requirements.toml: `enforce_residency`.",
  ]);
});
