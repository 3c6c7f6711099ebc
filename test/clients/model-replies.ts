/** Model replies that several clients' checks share, and readers of the requests that the model received. */
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import type { ModelReply } from "../support/scripted-model.ts";
import type { ClientHarness } from "./client.ts";

export const FAILED_REPLY: ModelReply = {
  status: 400,
  body: { error: { message: "no such model", type: "invalid_request_error" } },
};

/** A sandboxed command, followed by a message. */
export function commandReplies(cmd: string): ModelReply[] {
  return [reply("1", functionCallDone("call_1", "exec_command", { cmd })), messageReply("Done", { id: "2" })];
}

/** A command that needs an approval to leave the sandbox, followed by a message. */
export function escalatingReplies(cmd: string): ModelReply[] {
  const args = { cmd, sandbox_permissions: "require_escalated", justification: "it must be outside" };
  return [reply("1", functionCallDone("call_1", "exec_command", args)), messageReply("Done", { id: "2" })];
}

/** The bodies of the requests to the model, as text. */
export function requestsOf({ model }: ClientHarness): string[] {
  return model.requests
    .filter(({ path }) => path.endsWith("/responses"))
    .map(({ body }) => JSON.stringify(body));
}

export function lastRequest(harness: ClientHarness): string {
  return requestsOf(harness).at(-1) ?? "";
}

/** The last tool output that was sent to the model. */
export function lastToolOutput({ model }: ClientHarness): string {
  const { input = [] } = (model.requests.at(-1)?.body ?? {}) as {
    input?: { type: string; output?: unknown }[];
  };
  return JSON.stringify(input.findLast(({ type }) => type.endsWith("_call_output"))?.output ?? "");
}

/** The texts of each conversation that the model received, in order. */
export function conversationsOf({ model }: ClientHarness): string[][] {
  type Said = { readonly role?: string; readonly content?: readonly { readonly text?: string }[] };
  return model.requests.map(({ body }) => {
    const { input = [] } = (body ?? {}) as { input?: readonly Said[] };
    return input
      .filter(({ role }) => role === "user" || role === "assistant")
      .flatMap(({ content = [] }) => content.map(({ text = "" }) => text))
      .filter((text) => !text.startsWith("<") && !text.startsWith("# AGENTS.md"));
  });
}
