/** Runs the handler of one hook of a thread, whatever its type. */
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

/** The ports that handlers need of the machine and the thread; promises are opened on first use. */
export interface HandlerPorts {
  readonly threadId: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Variables that headers of an HTTP hook can reference. */
  readonly env: Environment;
  /** The environment of hook processes in a working folder. */
  readonly variablesIn: (cwd: string) => Variables;
  readonly host: () => Promise<ProcessHost>;
  /** The argv that runs a command in the user's shell. */
  readonly inShell: (command: string, variables: Variables) => Promise<readonly string[]>;
  /** Wraps a command for the turn's sandbox. */
  readonly confine: () => Promise<Confine>;
  /** An MCP server of the thread; null where there is none of that name. */
  readonly mcpServer: (name: string) => Promise<McpCaller | null>;
  readonly fetch: () => Promise<NetworkFetch>;
  readonly modules: () => Promise<ModuleRunner>;
  /** The model of the thread's turns. */
  readonly model: () => Promise<Model>;
  /** The model name of the turn. */
  readonly modelName: string;
  /** `originator` and `user-agent`, for the model provider. */
  readonly identityHeaders: () => Readonly<Record<string, string>>;
}

export interface ModuleRunner {
  /** Never rejects; every failure is a result. */
  run(call: ModuleCall): Promise<HandlerResult>;
}

export interface ModuleCall {
  /** Absolute path. */
  readonly path: string;
  /** The event's input, as JSON. */
  readonly input: string;
  readonly timeoutSeconds: number;
  /** Aborts the run. */
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

/** The caller must have checked the hook's pins immediately before. */
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
      return runMcpHook(handler, hook, call, ports);
    case "http":
      return runHttpHook(handler, hook, call, ports);
    case "module":
      return runModuleHook(handler, hook, call, ports);
    case "prompt":
      return runPromptHook(handler, hook, call, ports);
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

async function runHttpHook(
  { url, headers }: Handler<"http">,
  { timeoutSeconds }: ConfiguredHook,
  { inputText: input, signal }: HandlerCall,
  { fetch, clock, env }: HandlerPorts,
): Promise<HandlerResult> {
  return postToHook({ fetch: await fetch(), clock, env }, { url, headers, input, timeoutSeconds, signal });
}

async function runModuleHook(
  { path }: Handler<"module">,
  hook: ConfiguredHook,
  { cwd, inputText: input, signal }: HandlerCall,
  { modules }: HandlerPorts,
): Promise<HandlerResult> {
  const { timeoutSeconds } = hook;
  return (await modules()).run({ path: modulePath(path, hook, cwd), input, timeoutSeconds, signal });
}

async function runPromptHook(
  { prompt, model: override }: Handler<"prompt">,
  { key, timeoutSeconds }: ConfiguredHook,
  { inputText, signal }: HandlerCall,
  { threadId, model, modelName, identityHeaders, clock, log }: HandlerPorts,
): Promise<HandlerResult> {
  const name = override ?? modelName;
  return askHookModel(
    {
      model: await model(),
      clock,
      origin: {
        promptCacheKey: threadId,
        clientMetadata: { thread_id: threadId, session_id: threadId },
        headers: { ...identityHeaders(), "session-id": threadId, "thread-id": threadId },
      },
      // Not part of the thread's token usage, which clients see. The log redacts fields named after tokens,
      // so that these are not.
      onUsage: ({ inputTokens: input, outputTokens: output, totalTokens: total }) =>
        log.info("a prompt hook asked a model", { threadId, hook: key, model: name, input, output, total }),
    },
    { prompt, model: name, input: inputText, timeoutSeconds, signal },
  );
}

async function runMcpHook(
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
  const { text, isCut } = truncate(textOf(outcome.result["content"]));
  if (outcome.result["isError"] === true) {
    const words = text === "" ? `${tool} of ${server} gave no reason` : text;
    return { kind: "failed", message: `MCP tool returned an error: ${words}` };
  }
  return { kind: "exited", exitCode: 0, stdout: text, stderr: "", isCut };
}

/** The same limit as for the output of a process. */
function truncate(text: string): { readonly text: string; readonly isCut: boolean } {
  const isCut = Buffer.byteLength(text) > MAX_STDOUT_BYTES;
  return { text: isCut ? Buffer.from(text).subarray(0, MAX_STDOUT_BYTES).toString("utf8") : text, isCut };
}

/** The text parts of a result, in place of the output of a process. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n");
}
