/**
 * A model server on loopback for programs that others wrote: the Messages API, Gemini's API and Chat Completions. It calls
 * the shell once, where it is told to and the request offers it, and says that it is done after that.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseJson } from "../support/json.ts";

export interface ToolUse {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type ModelScript =
  | { readonly kind: "call"; readonly call: ToolUse }
  | { readonly kind: "say" }
  /** Every request is an error of whoever asks. */
  | { readonly kind: "refuse" };

export interface HarnessModel {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** The bodies of requests that offer tools, as JSON; titles and the like offer none. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export const ANSWER = "all done";
const REFUSAL = JSON.stringify({
  type: "error",
  error: {
    type: "invalid_request_error",
    message: "the mock says no",
    code: 400,
    status: "INVALID_ARGUMENT",
  },
});
const MAX_BODY = 16 << 20;

export async function openHarnessModel(script: ModelScript): Promise<HarnessModel> {
  const requests: string[] = [];
  // Once, whoever asks: an agent that the call starts has a conversation of its own.
  let hasCalled = false;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => {
      if (body.length < MAX_BODY) body += text;
    });
    request.on("end", () => {
      const path = new URL(request.url ?? "/", "http://localhost").pathname;
      const wire = WIRES.find(({ matches }) => matches.test(path));
      if (wire === undefined) return void response.writeHead(404).end("{}");
      const offersTools = /"(?:tools|functionDeclarations)":\[\{/u.test(body);
      if (offersTools) requests.push(body);
      if (script.kind === "refuse")
        return void response.writeHead(400, { "content-type": "application/json" }).end(REFUSAL);
      const call = script.kind === "say" || !offersTools || hasCalled ? null : script.call;
      hasCalled ||= call !== null;
      const isStreamed = wire.isStreamed(path, parseJson(body));
      send(response, wire.write(call, isStreamed), isStreamed);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, chunks: readonly string[], isStreamed: boolean): void {
  response.writeHead(200, { "content-type": isStreamed ? "text/event-stream" : "application/json" });
  response.end(chunks.join(""));
}

interface Wire {
  readonly matches: RegExp;
  readonly isStreamed: (path: string, body: unknown) => boolean;
  readonly write: (call: ToolUse | null, isStreamed: boolean) => readonly string[];
}

const asksForStream = (_path: string, body: unknown): boolean =>
  typeof body === "object" && body !== null && "stream" in body && body.stream === true;

const sse = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`;
const dataLine = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

const WIRES: readonly Wire[] = [
  {
    matches: /\/v1\/messages$/u,
    isStreamed: asksForStream,
    write: writeMessages,
  },
  {
    matches: /:(?:streamG|g)enerateContent$/u,
    isStreamed: (path) => path.endsWith(":streamGenerateContent"),
    write: writeGemini,
  },
  {
    matches: /:countTokens$/u,
    isStreamed: () => false,
    write: () => [JSON.stringify({ totalTokens: 10 })],
  },
  {
    matches: /\/chat\/completions$/u,
    isStreamed: asksForStream,
    write: writeChat,
  },
];

function writeMessages(call: ToolUse | null, isStreamed: boolean): string[] {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const block =
    call === null
      ? { type: "text", text: ANSWER }
      : { type: "tool_use", id: "toolu_1", name: call.tool, input: call.input };
  const stop_reason = call === null ? "end_turn" : "tool_use";
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_sequence: null };
  if (!isStreamed) return [JSON.stringify({ ...message, content: [block], stop_reason, usage })];
  const [start, delta] =
    call === null
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: ANSWER },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
        ];
  return [
    sse("message_start", { message: { ...message, content: [], stop_reason: null, usage } }),
    sse("content_block_start", { index: 0, content_block: start }),
    sse("content_block_delta", { index: 0, delta }),
    sse("content_block_stop", { index: 0 }),
    sse("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }),
    sse("message_stop", {}),
  ];
}

function writeGemini(call: ToolUse | null, isStreamed: boolean): string[] {
  const part =
    call === null ? { text: ANSWER } : { functionCall: { id: "call_1", name: call.tool, args: call.input } };
  const response = {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
  return [isStreamed ? dataLine(response) : JSON.stringify(response)];
}

function writeChat(call: ToolUse | null, isStreamed: boolean): string[] {
  const called = call && { name: call.tool, arguments: JSON.stringify(call.input) };
  const calls = called && [{ index: 0, id: "call_1", type: "function", function: called }];
  const said = {
    role: "assistant",
    content: call === null ? ANSWER : null,
    ...(calls && { tool_calls: calls }),
  };
  const finish_reason = call === null ? "stop" : "tool_calls";
  const base = { id: "c_1", created: 1, model: "m" };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (!isStreamed) {
    const choices = [{ index: 0, message: said, finish_reason }];
    return [JSON.stringify({ ...base, object: "chat.completion", choices, usage })];
  }
  const chunk = (delta: object, finish: string | null) =>
    dataLine({
      ...base,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  return [
    chunk(said, null),
    chunk({}, finish_reason),
    dataLine({ ...base, object: "chat.completion.chunk", choices: [], usage }),
    "data: [DONE]\n\n",
  ];
}
