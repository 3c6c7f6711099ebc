/** Runs the handler of one hook of a thread, whatever kind it is. */
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import type { NetworkFetch } from "../../base/network/network-fetch.ts";
import type { Model } from "../../model/model.ts";
import type { ProcessHost } from "../../process/process-host.ts";
import type { CommandHandler, ConfiguredHook, HookHandler } from "../configured-hook.ts";
import { execForm } from "../exec-form.ts";
import { modulePath } from "../module-path.ts";
import type { HandlerResult } from "../outcome.ts";
import { fillInput } from "./fill-mcp-input.ts";
import { type Confine, MAX_STDOUT_BYTES, runConfinedCommand, runHookCommand } from "./run-command.ts";
import type { HandlerCall } from "./run-hooks.ts";
import { postToHook } from "./run-http.ts";
import { askHookModel } from "./run-prompt.ts";

type Variables = Readonly<Record<string, string>>;

/** What handlers need of the machine and of the thread; what is a promise is opened when a handler needs it. */
export interface HandlerPorts {
  readonly threadId: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** What headers of an HTTP hook can name. */
  readonly env: Environment;
  /** What programs find in their environment, in a folder. */
  readonly variablesIn: (cwd: string) => Variables;
  readonly host: () => Promise<ProcessHost>;
  /** What is started to run a command by the user's shell. */
  readonly inShell: (command: string, variables: Variables) => Promise<readonly string[]>;
  /** Puts a command into the sandbox of the turn. */
  readonly confine: () => Promise<Confine>;
  /** An MCP server of the thread; null where it has none of that name. */
  readonly mcpServer: (name: string) => Promise<McpCaller | null>;
  readonly fetch: () => Promise<NetworkFetch>;
  readonly modules: () => Promise<ModuleRunner>;
  /** The one that the thread's turns ask. */
  readonly model: () => Promise<Model>;
  /** What the turn calls its model. */
  readonly modelName: string;
  /** `originator` and `user-agent`, for the provider of the model. */
  readonly identityHeaders: () => Readonly<Record<string, string>>;
}

export interface ModuleRunner {
  /** Never throws; whatever goes wrong is a result. */
  run(call: ModuleCall): Promise<HandlerResult>;
}

export interface ModuleCall {
  /** Absolute. */
  readonly path: string;
  /** The event's input, as JSON. */
  readonly input: string;
  readonly timeoutSeconds: number;
  /** Ends the run at once. */
  readonly signal: AbortSignal;
}

export interface McpCaller {
  request(
    method: "tools/call",
    params: JsonObject,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal; onProgress(message: string): void },
  ): Promise<
    | { readonly kind: "answered"; readonly result: JsonObject }
    | { readonly kind: "refused" | "failed"; readonly message: string }
    | { readonly kind: "cancelled" }
  >;
}

/** Whoever asks for it has checked what the hook runs, a moment ago. */
export async function runHandler(
  hook: ConfiguredHook,
  call: HandlerCall,
  ports: HandlerPorts,
): Promise<HandlerResult> {
  const { handler, refusal } = hook;
  if (refusal !== undefined) return { kind: "failed", message: refusal.message };
  switch (handler.type) {
    case "command":
      return runCommand(handler, hook, call, ports);
    case "mcp_tool":
      return callMcpTool(handler, hook, call, ports);
    case "http":
      return post(handler, hook, call, ports);
    case "module":
      return callModule(handler, hook, call, ports);
    case "prompt":
      return ask(handler, hook, call, ports);
  }
}

type Handler<T extends HookHandler["type"]> = Extract<HookHandler, { type: T }>;

async function runCommand(
  handler: CommandHandler,
  hook: ConfiguredHook,
  { cwd, inputText, signal }: HandlerCall,
  { host, inShell, variablesIn, confine, clock }: HandlerPorts,
): Promise<HandlerResult> {
  const ports = { host: await host(), clock };
  const variables = variablesIn(cwd);
  const run = {
    argv: execForm(handler, hook) ?? (await inShell(handler.command, variables)),
    cwd,
    env: { ...variables, ...hook.env },
    input: inputText,
    timeoutSeconds: hook.timeoutSeconds,
    signal,
  };
  return handler.isSandboxed ? runConfinedCommand(ports, run, await confine()) : runHookCommand(ports, run);
}

async function post(
  { url, headers }: Handler<"http">,
  { timeoutSeconds }: ConfiguredHook,
  { inputText: input, signal }: HandlerCall,
  { fetch, clock, env }: HandlerPorts,
): Promise<HandlerResult> {
  return postToHook({ fetch: await fetch(), clock, env }, { url, headers, input, timeoutSeconds, signal });
}

async function callModule(
  { path }: Handler<"module">,
  hook: ConfiguredHook,
  { cwd, inputText: input, signal }: HandlerCall,
  { modules }: HandlerPorts,
): Promise<HandlerResult> {
  const { timeoutSeconds } = hook;
  return (await modules()).run({ path: modulePath(path, hook, cwd), input, timeoutSeconds, signal });
}

async function ask(
  { prompt, model: wanted }: Handler<"prompt">,
  { key, timeoutSeconds }: ConfiguredHook,
  { inputText, signal }: HandlerCall,
  { threadId, model, modelName, identityHeaders, clock, log }: HandlerPorts,
): Promise<HandlerResult> {
  const name = wanted ?? modelName;
  return askHookModel(
    {
      model: await model(),
      clock,
      origin: {
        promptCacheKey: threadId,
        clientMetadata: { thread_id: threadId, session_id: threadId },
        headers: { ...identityHeaders(), "session-id": threadId, "thread-id": threadId },
      },
      // It is no part of the thread's own use, which clients are shown. The log hides what is called a token.
      onUsage: ({ inputTokens: input, outputTokens: output, totalTokens: total }) =>
        log.info("a prompt hook asked a model", { threadId, hook: key, model: name, input, output, total }),
    },
    { prompt, model: name, input: inputText, timeoutSeconds, signal },
  );
}

async function callMcpTool(
  { server, tool, input }: Handler<"mcp_tool">,
  { timeoutSeconds }: ConfiguredHook,
  { input: event, signal }: HandlerCall,
  { mcpServer, clock }: HandlerPorts,
): Promise<HandlerResult> {
  const connection = await mcpServer(server);
  if (connection === null) return { kind: "failed", message: `unknown MCP server '${server}'` };
  const filled = fillInput(input, event);
  if (filled.kind === "missing")
    return { kind: "failed", message: `the event has no field \`${filled.field}\` for the tool's input` };
  const timeoutMs = timeoutSeconds * 1000;
  const startedAt = clock.monotonic();
  const params = { name: tool, arguments: filled.input };
  const outcome = await connection.request("tools/call", params, { timeoutMs, signal, onProgress() {} });
  if (signal.aborted) return { kind: "interrupted" };
  if (outcome.kind !== "answered") {
    if (clock.monotonic() - startedAt >= timeoutMs) return { kind: "timedOut", seconds: timeoutSeconds };
    return { kind: "failed", message: outcome.kind === "cancelled" ? "it was cancelled" : outcome.message };
  }
  const { text, isCut } = cut(textOf(outcome.result["content"]));
  if (outcome.result["isError"] === true) {
    const words = text === "" ? `${tool} of ${server} gave no reason` : text;
    return { kind: "failed", message: `MCP tool returned an error: ${words}` };
  }
  return { kind: "exited", exitCode: 0, stdout: text, stderr: "", isCut };
}

/** No more than a program may write. */
function cut(text: string): { readonly text: string; readonly isCut: boolean } {
  const isCut = Buffer.byteLength(text) > MAX_STDOUT_BYTES;
  return { text: isCut ? Buffer.from(text).subarray(0, MAX_STDOUT_BYTES).toString("utf8") : text, isCut };
}

/** The parts of a result that are text, as the output of a program would be. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n");
}
