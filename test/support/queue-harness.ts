/** Servers on one home with threads and their queues, and a model whose replies can be held. */
import { onTestFinished } from "vitest";
import { modelConfig } from "./model-config.ts";
import { messageReply } from "./model-events.ts";
import type { RpcClient } from "./rpc-client.ts";
import { type ModelReply, openScriptedModel, type ScriptedModel } from "./scripted-model.ts";
import { type StartOptions, startServer } from "./start-server.ts";
import { createTempHome, type TempHome } from "./temp-home.ts";

const CLIENT = {
  clientInfo: { name: "queue", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};
export const HELD: ModelReply = { ...messageReply("First"), held: true };
export const DONE = messageReply("Done");

export interface QueueHarness {
  readonly home: TempHome;
  readonly model: ScriptedModel;
  /** Starts another server on the home. */
  open(options?: Pick<StartOptions, "transport">): Promise<Server>;
}

export interface Server {
  readonly client: RpcClient;
  /** Connects another client, if the transport supports several. */
  connect(): Promise<RpcClient>;
  /** The address of a WebSocket listener. */
  readonly address: string | undefined;
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves when the server has started to drain. */
  end(): Promise<void>;
  readonly ended: Promise<unknown>;
}

export async function openQueueHarness(replies: readonly ModelReply[], tables = ""): Promise<QueueHarness> {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const home = await createTempHome({ config: modelConfig(model.url, { tables }) });
  onTestFinished(() => home.remove());
  return {
    home,
    model,
    async open(options = {}) {
      const server = await startServer({ ...options, home, args: ["--log-level=info"] });
      const { child } = server;
      let isKilled = false;
      const kill = async () => {
        if (!isKilled) await server.stop();
        isKilled = true;
      };
      onTestFinished(kill);
      async function connect(): Promise<RpcClient> {
        const connected = await server.connect();
        await connected.result("initialize", CLIENT);
        return connected;
      }
      const client = await connect();
      async function end(): Promise<void> {
        child.signal("SIGTERM");
        await child.stderrMatch(/shutting down once the running turns have ended/u, 10_000);
      }
      return { client, connect, kill, end, ended: child.exit, address: server.address };
    },
  };
}

export const text = (words: string) => [{ type: "text", text: words }];

export async function startThread(client: RpcClient, params: object = {}): Promise<string> {
  const { thread } = (await client.result("thread/start", params)) as { thread: { id: string } };
  return thread.id;
}

export const startTurn = (client: RpcClient, threadId: string, words: string) =>
  client.result("turn/start", { threadId, input: text(words) });

export const add = (client: RpcClient, threadId: string, words: string, more: object = {}) =>
  client.result("thread/queue/add", { threadId, input: text(words), clientUserMessageId: words, ...more });

export interface Listed {
  readonly data: readonly {
    readonly clientUserMessageId: string;
    readonly input: readonly { readonly text: string }[];
    readonly status: { readonly type: string };
  }[];
  readonly pauseReason?: string;
}

export const list = (client: RpcClient, threadId: string) =>
  client.result("thread/queue/list", { threadId }) as Promise<Listed>;

export const startedTurn = (client: RpcClient, words: string) =>
  client.next({ method: "item/completed", params: { item: { type: "userMessage", clientId: words } } });
