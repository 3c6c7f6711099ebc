import { isObject } from "../base/json-object.ts";
import type {
  FileUpdateChange,
  FunctionCallOutputContentItem,
  ModeKind,
  SandboxPolicy,
  ServerRequests,
  ThreadItem,
  TurnPlanStep,
} from "../protocol/generated/types.ts";
import type { FileEdit } from "./diff/file-diff.ts";
import type { Permissions } from "./permission.ts";

/** A tool that the model can call, one file each: its spec, input parsing and execution. */
export interface Tool {
  readonly name: string;
  /** Tools of one namespace are offered together, and called by both names. */
  readonly namespace?: ToolNamespace;
  /** The entry in the request's `tools`, or in the namespace's. */
  readonly spec: unknown;
  /** False: it can be called, but is not offered to the model. */
  readonly isOffered?: boolean;
  /** Whether a call may run concurrently with other calls of the same response. */
  readonly parallel: boolean;
  /** Unwraps a call that is really another one, for example a patch sent as a command; null otherwise. */
  unwrapCall?(call: ToolCall, context: ToolContext): UnwrappedCall | null;
  /** Describes the call. Never throws: invalid input is reported when it runs. */
  describeCall(call: ToolCall): CallDescription;
  /**
   * The same call with other input, in the form of its description; null where the tool cannot be called with
   * it. Absent where the input is the whole of the call's arguments.
   */
  withInput?(call: ToolCall, input: unknown): ToolCall | null;
  /**
   * Runs one call to completion. Never throws for errors of the model, which are part of the result. An abort
   * of the signal ends the work as soon as possible; the result is then unused.
   */
  run(call: ToolCall, context: ToolContext): Promise<ToolResult>;
}

/**
 * The abort reason after which nothing that the turn started may keep running, because it would not be
 * recorded. Commands of a turn that a user interrupts keep running.
 */
export const HISTORY_LOST = Symbol("the history of the turn cannot be written");

/** The abort reason of a turn that a later process continues, because it waits for an answer and its server ends. */
export const SUSPENDED = Symbol("the turn is continued by a later process");

export interface ToolNamespace {
  readonly name: string;
  readonly description: string;
}

export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  /** For tools of a namespace. */
  readonly namespace?: string;
  /** JSON text for function tools, free text for custom tools; exactly as the model wrote it. */
  readonly input: string;
}

export interface UnwrappedCall {
  readonly tool: Tool;
  readonly call: ToolCall;
}

/** A uniform description of a call, for hooks and permissions. */
export interface CallDescription {
  readonly kind: "command" | "commandInput" | "patch" | "mcpTool" | "dynamicTool" | "function";
  /** The tool name in hook input. */
  readonly name: string;
  /** Alternative names that matchers accept; for an MCP tool, its Claude Code name first. */
  readonly aliases: readonly string[];
  /** The input as JSON. */
  readonly input: unknown;
  /**
   * The files that a patch would change, by absolute path, resolved against a folder; null where it does not
   * parse.
   */
  readonly files?: (cwd: string) => readonly PatchedFile[] | null;
}

/** A file named in a patch; a moved file is listed under both names. */
export type PatchedFile =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  /** As far as the patch shows it: all chunks, joined. */
  | { readonly kind: "update"; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: "delete"; readonly path: string };

/** Describes a function call by its own name and arguments; input that is not JSON remains text. */
export function describeFunctionCall(
  { name, namespace, input }: Pick<ToolCall, "name" | "namespace" | "input">,
  kind: CallDescription["kind"] = "function",
): CallDescription {
  const whole = namespace === undefined ? name : `${namespace}__${name}`;
  return { kind, name: whole, aliases: [], input: readInput(input) };
}

/** The command of a shell call or patch; null for any other input. */
export function commandOf(input: unknown): string | null {
  const command = isObject(input) ? input["command"] : null;
  return typeof command === "string" ? command : null;
}

function readInput(input: string): unknown {
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

/** The turn's context for a tool, and the ways to report its work. */
export interface ToolContext {
  readonly threadId: string;
  readonly turnId: string;
  readonly cwd: string;
  /** The sandbox's workspace root, usually the same as `cwd`. */
  readonly workspaceRoot: string;
  readonly sandbox: SandboxPolicy;
  /** The collaboration mode of the turn. */
  readonly mode: ModeKind;
  readonly signal: AbortSignal;
  readonly items: ItemLog;
  /** Records file edits for the turn's diff. */
  readonly edited: (edits: readonly FileEdit[]) => void;
  /** Must be asked before any dangerous action. */
  readonly permissions: Permissions;
  /** Sends the thread's clients a request that is not about permission. */
  readonly ask: Ask;
  /** Calls back once on new user input to the turn; returns an unsubscribe function. */
  readonly onInput: (listener: () => void) => () => void;
  /** Publishes the model's plan. */
  readonly plan: (steps: readonly TurnPlanStep[], explanation: string | null) => void;
}

/** Publishes items to clients and the history. An item is started once, and completed at most once. */
export interface ItemLog {
  begin(item: ThreadItem): void;
  complete(item: ThreadItem): void;
  /** A chunk of a command's output. */
  outputDelta(itemId: string, delta: string): void;
  /** Text typed into a running command. */
  terminalInteraction(itemId: string, processId: string, stdin: string): void;
  /** A progress message of an MCP server about a running call. */
  mcpProgress(itemId: string, message: string): void;
}

export interface ToolResult {
  /** The output for the model. */
  readonly output: string | FunctionCallOutputContentItem[];
  readonly success: boolean;
  /** The outcome in structured form. */
  readonly value: ResultValue;
}

export type ResultValue =
  | CommandValue
  | PatchValue
  | McpValue
  /** For all other tools; JSON. */
  | { readonly kind: "data"; readonly data: unknown }
  /** Nothing was executed; the output says why. */
  | { readonly kind: "refused" };

/** The state of a command as seen by a call: a running command is seen again by later polls. */
export interface CommandValue {
  readonly kind: "command";
  /** The call that started it, and its command. */
  readonly callId: string;
  readonly command: string;
  /** Output since the previous call. */
  readonly output: string;
  /** Null while it runs. */
  readonly exitCode: number | null;
  readonly durationMs: number;
}

export interface PatchValue {
  readonly kind: "patch";
  readonly status: "completed" | "failed";
  readonly changes: readonly FileUpdateChange[];
}

export interface McpValue {
  readonly kind: "mcpTool";
  readonly content: readonly unknown[];
  /** Null, like the members below, where the server omits it. */
  readonly structuredContent: unknown;
  readonly isError: boolean | null;
  readonly meta: unknown;
}

/** The result of a call that executed nothing. */
export function refuseCall(output: string): ToolResult {
  return { output, success: false, value: { kind: "refused" } };
}

/**
 * Sends a request to the clients of a thread. All of them receive it under one id, and the first valid answer
 * counts. Never rejects and never outlasts the turn: a missing answer is returned with its reason.
 */
export type Ask = <M extends keyof ServerRequests>(
  method: M,
  params: ServerRequests[M]["params"],
) => Promise<Answer<ServerRequests[M]["result"]>>;

export type Answer<R> =
  | {
      readonly kind: "answered";
      readonly result: R;
      /** The name of the answering client, where it is known. */
      readonly from?: string;
      /** The subject of its token, where it has one. */
      readonly subject?: string;
    }
  /** A client refused or sent an invalid answer, none answered in time, or the server shut down. */
  | { readonly kind: "unanswered"; readonly reason: string; readonly cause?: "timeOut" | "nonsense" }
  /** The turn ended first. */
  | { readonly kind: "abandoned" };
