/** Runs the handler of one hook of a thread, whatever kind it is. */
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { isObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import { type ThreadSettings, workspaceRootOf } from "../../engine/state/settings.ts";
import type { CommandHandler, ConfiguredHook, HookHandler } from "../../hooks/configured-hook.ts";
import { execForm } from "../../hooks/exec-form.ts";
import { modulePath } from "../../hooks/module-path.ts";
import type { HandlerResult } from "../../hooks/outcome.ts";
import { fillInput } from "../../hooks/run/fill-mcp-input.ts";
import { MAX_STDOUT_BYTES, runConfinedCommand, runHookCommand } from "../../hooks/run/run-command.ts";
import type { HandlerCall } from "../../hooks/run/run-hooks.ts";
import { postToHook } from "../../hooks/run/run-http.ts";
import { askHookModel } from "../../hooks/run/run-prompt.ts";
import type { Model } from "../../model/model.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import { bareShellArguments, shellArguments, startUpFiles } from "../../tools/exec/shell.ts";
import type { CommandTools } from "../machine/command-tools.ts";
import type { HookTools } from "../machine/hook-tools.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { Hooks } from "./hooks.ts";

export interface HookHandlersOptions {
  readonly threadId: string;
  readonly env: Environment;
  readonly execEnvFor: Hooks["execEnvFor"];
  readonly places: Pick<SandboxWritablePaths, "contains">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly commands: () => Promise<Pick<CommandTools, "hookHost" | "shell">>;
  readonly mcp: () => Promise<Pick<McpServers, "find">>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly hookTools: () => Promise<HookTools>;
  /** The one that the thread's turns ask. */
  readonly model: () => Promise<Model>;
  /** Those of the turn. */
  readonly settings: ThreadSettings;
  /** `originator` and `user-agent`, for the provider of the model. */
  readonly identityHeaders: () => Readonly<Record<string, string>>;
}

/** Whoever asks for it has checked what the hook runs, a moment ago. */
export async function runHandler(
  hook: ConfiguredHook,
  call: HandlerCall,
  options: HookHandlersOptions,
): Promise<HandlerResult> {
  const { handler, refusal } = hook;
  if (refusal !== undefined) return { kind: "failed", message: refusal.message };
  switch (handler.type) {
    case "command":
      return runCommand(handler, hook, call, options);
    case "mcp_tool":
      return callMcpTool(handler, hook, call, options);
    case "http":
      return post(handler, hook, call, options);
    case "module":
      return callModule(handler, hook, call, options);
    case "prompt":
      return ask(handler, hook, call, options);
  }
}

type Handler<T extends HookHandler["type"]> = Extract<HookHandler, { type: T }>;

async function runCommand(
  handler: CommandHandler,
  hook: ConfiguredHook,
  { cwd, inputText, signal }: HandlerCall,
  { commands, execEnvFor, places, clock, sandbox, settings }: HookHandlersOptions,
): Promise<HandlerResult> {
  const { command, isSandboxed } = handler;
  const { hookHost, shell } = await commands();
  const ports = { host: hookHost, clock };
  const place = execEnvFor(cwd);
  const inShell = () =>
    startUpFiles(place.env).some(places.contains)
      ? bareShellArguments(shell(), command)
      : shellArguments(shell(), command, false);
  const run = {
    argv: execForm(handler, hook) ?? inShell(),
    cwd,
    env: { ...place.env, ...hook.env },
    input: inputText,
    timeoutSeconds: hook.timeoutSeconds,
    signal,
  };
  if (!isSandboxed) return runHookCommand(ports, run);
  const machine = await sandbox();
  return runConfinedCommand(ports, run, (wanted) =>
    machine.wrap(wanted, settings.sandbox, { policyCwd: workspaceRootOf(settings), ownSession: true }),
  );
}

async function post(
  { url, headers }: Handler<"http">,
  { timeoutSeconds }: ConfiguredHook,
  { inputText: input, signal }: HandlerCall,
  { hookTools, clock, env }: HookHandlersOptions,
): Promise<HandlerResult> {
  const { fetch } = await hookTools();
  return postToHook({ fetch, clock, env }, { url, headers, input, timeoutSeconds, signal });
}

async function callModule(
  { path }: Handler<"module">,
  hook: ConfiguredHook,
  { cwd, inputText: input, signal }: HandlerCall,
  { hookTools }: HookHandlersOptions,
): Promise<HandlerResult> {
  const { modules } = await hookTools();
  const { timeoutSeconds } = hook;
  return modules.run({ path: modulePath(path, hook, cwd), input, timeoutSeconds, signal });
}

async function ask(
  { prompt, model: wanted }: Handler<"prompt">,
  { key, timeoutSeconds }: ConfiguredHook,
  { inputText, signal }: HandlerCall,
  { threadId, model, settings, identityHeaders, clock, log }: HookHandlersOptions,
): Promise<HandlerResult> {
  const name = wanted ?? settings.model;
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
  { threadId, mcp, clock }: HookHandlersOptions,
): Promise<HandlerResult> {
  const connection = (await mcp()).find(threadId)?.find(server)?.connection ?? null;
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
