/** A server with a night of work: threads that have ended, one that streams, and questions that wait. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, type ModelEvent, messageReply, reply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { openScriptedModel, type ScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

export interface Night {
  readonly home: TempHome;
  readonly model: ScriptedModel;
  readonly server: RunningServer;
  /** Kills the server, and calls back before there is another one at its address. */
  restart(whileGone: () => Promise<void>): Promise<void>;
  readonly url: string;
  /** A client that answers nothing. */
  connect(): Promise<RpcClient>;
  close(): Promise<void>;
}

const CLIENT = {
  clientInfo: { name: "night", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};

export async function openNight(tables = ""): Promise<Night> {
  const model = await openScriptedModel();
  const home = await createTempHome({ config: modelConfig(model.url, { tables }) });
  let server = await startServer({ home, subcommand: "serve", transport: "ws" });
  const address = server.address ?? "";
  return {
    home,
    model,
    get server() {
      return server;
    },
    url: `http://${address}`,
    async restart(whileGone) {
      await server.stop();
      await whileGone();
      server = await startServer({ home, subcommand: "serve", listen: `ws://${address}`, transport: "ws" });
    },
    async connect() {
      const client = await server.connect();
      await client.result("initialize", CLIENT);
      return client;
    },
    async close() {
      await server.stop();
      await model.close();
      await home.remove();
    },
  };
}

export const MARKDOWN = `One test still fails: \`fallback.test.ts\` expects that a 401 never reaches the backup. I will **move** it up:

- \`isRetryable\` decides before \`budget.take()\`
- a 401 ends the turn with the provider's own words

| file | lines |
| --- | ---: |
| retry.ts | 44 |

\`\`\`ts
export async function withRetry<T>(run: () => Promise<T>, budget: Budget) {
  for (let attempt = 0; budget.take(); attempt += 1) return await run(); // once
}
\`\`\`

See [the issue](https://example.com/issues/7).`;

const COLOURED =
  "printf '\\033[32m✓\\033[0m test/retry.test.ts \\033[2m(9 tests)\\033[0m\\n\\033[31m× never falls back on 401\\033[0m\\n\\033[41;37m FAIL \\033[0m 1 failed\\n'; exit 1";

const PATCH = `*** Begin Patch
*** Add File: src/budget.ts
+export interface Budget {
+  take(): boolean;
+}
*** Update File: src/retry.ts
@@
-for (let attempt = 0; attempt < 5; attempt++) {
+for (let attempt = 0; budget.take(); attempt++) {
*** End Patch`;

export const reasoning = (id: string, text: string): ModelEvent => ({
  type: "response.output_item.done",
  item: { type: "reasoning", id, summary: [{ type: "summary_text", text }] },
});

/** A thread with reasoning, a patch, a command with colours and a message. */
export async function playThread(night: Night, client: RpcClient, text: string): Promise<string> {
  const folder = join(night.home.workspace, "src");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "retry.ts"), "for (let attempt = 0; attempt < 5; attempt++) {\n  run();\n}\n");
  night.model.extend([
    reply(
      "1",
      reasoning("r1", "How the budget is passed to the second provider"),
      functionCallDone("c1", "exec_command", { cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF`, login: false }),
    ),
    reply("2", functionCallDone("c2", "exec_command", { cmd: COLOURED, login: false })),
    messageReply(MARKDOWN, { id: "3" }),
  ]);
  const { thread } = (await client.result("thread/start", {
    sandbox: "danger-full-access",
    cwd: night.home.workspace,
  })) as { thread: { id: string } };
  await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text }] });
  await client.next({ method: "turn/completed", params: { threadId: thread.id } });
  return thread.id;
}

const LONG_WORD = "a".repeat(400);
const RIGHT_TO_LEFT = "مرحبا، أصلِح الاختبار `retry.test.ts` من فضلك ثم شغّل المجموعة كلها.";

/** What is hard to lay out: a very long word, text from right to left, a diff of 2,000 lines, a turn that fails. */
export async function playHardThread(night: Night, client: RpcClient): Promise<string> {
  const lines = Array.from({ length: 2000 }, (_, at) => `+export const value${at} = ${at};`).join("\n");
  const patch = `*** Begin Patch\n*** Add File: src/values.ts\n${lines}\n*** End Patch`;
  const cmd = `apply_patch <<'EOF'\n${patch}\nEOF`;
  night.model.extend([
    reply("h1", functionCallDone("h1", "exec_command", { cmd, login: false })),
    reply("h2", functionCallDone("h2", "exec_command", { cmd: `echo ${LONG_WORD}`, login: false })),
    messageReply(`${RIGHT_TO_LEFT}\n\n${LONG_WORD}\n\n- ${RIGHT_TO_LEFT}`, { id: "h3" }),
    { status: 400, body: { error: { message: "The model does not know this image format." } } },
  ]);
  const { thread } = (await client.result("thread/start", {
    sandbox: "danger-full-access",
    cwd: night.home.workspace,
  })) as { thread: { id: string } };
  const { id: threadId } = thread;
  for (const text of [`${RIGHT_TO_LEFT} ${LONG_WORD}`, "Look at the image"]) {
    await client.result("turn/start", { threadId, input: [{ type: "text", text }] });
    await client.next({ method: "turn/completed", params: { threadId } });
  }
  return threadId;
}

/** A turn that asks about a command or a patch. When it is answered, the model says what the script has next. */
export async function askAbout(
  night: Night,
  client: RpcClient,
  cmd: string,
  text = "Release it",
): Promise<string> {
  const kind = cmd.startsWith("apply_patch") ? "fileChange" : "commandExecution";
  night.model.extend([reply("q", functionCallDone(`q${cmd.length}`, "exec_command", { cmd, login: false }))]);
  const { thread } = (await client.result("thread/start", {
    approvalPolicy: "untrusted",
    sandbox: "danger-full-access",
    cwd: night.home.workspace,
  })) as { thread: { id: string } };
  await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text }] });
  await client.next({ method: `item/${kind}/requestApproval`, params: { threadId: thread.id } });
  return thread.id;
}
