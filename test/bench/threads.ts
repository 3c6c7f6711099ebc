/** A server with a model that answers from a script, and the threads and turns that are measured on it. */
import { type ModelConfig, modelConfig } from "../support/model-config.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { type ModelReply, openScriptedModel, type ScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer, type Transport } from "../support/start-server.ts";
import type { TempHome } from "../support/temp-home.ts";
import { CLIENT, createBenchHome, type Side } from "./bench.ts";

interface ThreadsOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: ModelConfig;
  readonly transport?: Transport;
  /** Puts into the home what is to be there before the server starts. */
  readonly prepare?: (home: TempHome) => unknown;
}

export async function withThreads<T>(
  side: Side,
  replies: readonly ModelReply[],
  measure: (client: RpcClient, model: ScriptedModel, server: RunningServer) => Promise<T>,
  { env = {}, config = {}, transport = "stdio", prepare }: ThreadsOptions = {},
): Promise<T> {
  const model = await openScriptedModel(replies);
  const home = await createBenchHome(side, modelConfig(model.url, config));
  await prepare?.(home);
  const server = await startServer({ program: side.program, home, env, transport });
  try {
    return await measure(await newClient(server), model, server);
  } finally {
    await server.stop();
    await model.close();
    await home.remove();
  }
}

/** One that has introduced itself; over stdio it is always the same. */
export async function newClient(server: RunningServer): Promise<RpcClient> {
  const client = await server.connect();
  await client.result("initialize", CLIENT);
  return client;
}

export async function startThread(client: RpcClient, params: object = {}): Promise<string> {
  const { thread } = (await client.result("thread/start", params)) as { thread: { id: string } };
  return thread.id;
}

export async function runTurn(client: RpcClient, threadId: string, milliseconds?: number): Promise<void> {
  await client.result("turn/start", { threadId, input: [{ type: "text", text: "Hello" }] });
  await client.next({ method: "turn/completed" }, milliseconds);
}
