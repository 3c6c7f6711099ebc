/** One server under attack, with its model and a client. */
import { isObject, type JsonObject, parseJson } from "../support/json.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import type { ModelReply, ScriptedModel } from "../support/scripted-model.ts";
import type { RunningServer } from "../support/start-server.ts";

/** A tool call of the model. */
export type Call = { readonly name: string; readonly args: object };

export type Played = {
  readonly threadId: string;
  readonly status: unknown;
  /** The completed items. */
  readonly items: readonly JsonObject[];
  /** The requests to the user. */
  readonly asked: readonly JsonObject[];
  /** The outputs of the calls as the model received them, in order. */
  readonly outputs: readonly string[];
};

export type PlayOptions = {
  /** The params of `thread/start`, or the thread to continue. */
  readonly thread?: object;
  readonly threadId?: string;
  readonly milliseconds?: number;
  /** The answer to all requests; declined by default. */
  readonly decision?: "accept" | "decline";
};

export type AttackedServer = {
  readonly server: RunningServer;
  readonly model: ScriptedModel;
  readonly client: RpcClient;
  /** Plays a turn in which the model makes these calls in sequence. */
  play(calls: readonly Call[], options?: PlayOptions): Promise<Played>;
};

export function command(cmd: string, more: object = {}): Call {
  return { name: "exec_command", args: { cmd, login: false, ...more } };
}

export async function createAttackedServer(
  parts: Pick<AttackedServer, "server" | "model">,
): Promise<AttackedServer> {
  const { server, model } = parts;
  const client = await server.connect();
  const asked: JsonObject[] = [];
  let decision: NonNullable<PlayOptions["decision"]> = "decline";
  client.wire.onText((text) => {
    const message = parseJson(text);
    if (!isObject(message) || message["method"] === undefined || message["id"] === undefined) return;
    asked.push(message);
    client.answer(message["id"] as number, { decision });
  });
  await client.result("initialize", {
    clientInfo: { name: "attacker", title: null, version: "1" },
    capabilities: { experimentalApi: true },
  });
  let replies = 0;

  function toReplies(calls: readonly Call[]): ModelReply[] {
    const each = calls.map(({ name, args }) => {
      replies += 1;
      return reply(`${replies}`, functionCallDone(`call_${replies}`, name, args));
    });
    replies += 1;
    return [...each, messageReply("Done", { id: `${replies}` })];
  }

  return {
    ...parts,
    client,
    async play(calls, { thread = {}, threadId: known, milliseconds = 30_000, ...more } = {}) {
      decision = more.decision ?? "decline";
      model.extend(toReplies(calls));
      const from = { received: client.received.length, asked: asked.length };
      const threadId = known ?? (await startThread(client, thread));
      await client.result("turn/start", { threadId, input: [{ type: "text", text: "Go" }] });
      const ended = await client.next({ method: "turn/completed", params: { threadId } }, milliseconds);
      const turn = (ended["params"] as { turn: JsonObject }).turn;
      const items = client.received
        .slice(from.received)
        .filter(({ method }) => method === "item/completed")
        .map(({ message }) => (message["params"] as { item: JsonObject }).item);
      return {
        threadId,
        status: turn["status"],
        items,
        asked: asked.slice(from.asked),
        outputs: outputsIn(model),
      };
    },
  };
}

async function startThread(client: RpcClient, params: object): Promise<string> {
  const { thread } = (await client.result("thread/start", params)) as { thread: { id: string } };
  return thread.id;
}

function outputsIn(model: ScriptedModel): string[] {
  const { input = [] } = (model.requests.at(-1)?.body ?? {}) as { input?: JsonObject[] };
  return input
    .filter(({ type }) => type === "function_call_output" || type === "custom_tool_call_output")
    .map(({ output }) => (typeof output === "string" ? output : JSON.stringify(output)));
}
