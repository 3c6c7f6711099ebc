/** A server with a model that answers from a script, and the threads and turns that are measured on it. */
import { type ModelConfig, modelConfig } from "../support/model-config.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { type ModelReply, openScriptedModel, type ScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";
import { type Bench, CLIENT } from "./bench.ts";

interface ThreadsOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: ModelConfig;
}

export async function withThreads(
  bench: Bench,
  replies: readonly ModelReply[],
  measure: (client: RpcClient, model: ScriptedModel, server: RunningServer) => Promise<number>,
  { env = {}, config = {} }: ThreadsOptions = {},
): Promise<number> {
  const model = await openScriptedModel(replies);
  const home = await createTempHome({ under: bench.homes, config: modelConfig(model.url, config) });
  const server = await startServer({ program: bench.program, home, env });
  try {
    const client = await server.connect();
    await client.result("initialize", CLIENT);
    return await measure(client, model, server);
  } finally {
    await server.stop();
    await model.close();
    await home.remove();
  }
}

export async function startThread(client: RpcClient, params: object = {}): Promise<string> {
  const { thread } = (await client.result("thread/start", params)) as { thread: { id: string } };
  return thread.id;
}

export async function runTurn(client: RpcClient, threadId: string): Promise<void> {
  await client.result("turn/start", { threadId, input: [{ type: "text", text: "Hello" }] });
  await client.next({ method: "turn/completed" });
}
