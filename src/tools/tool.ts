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

/** Something that the model can call. One file each: how it is offered, how it reads its input, what it does. */
export interface Tool {
  readonly name: string;
  /** Tools of one namespace are offered together, and called by both names. */
  readonly namespace?: ToolNamespace;
  /** The entry in the request's `tools`, or in those of the namespace. */
  readonly spec: unknown;
  /** False: it can be called, but the model is not told of it. */
  readonly isOffered?: boolean;
  /** Whether a call may run beside other calls of the same response. */
  readonly parallel: boolean;
  /** The call that a call really is, as a command may be a patch in disguise; null where it is what it says. */
  unwrapCall?(call: ToolCall, context: ToolContext): UnwrappedCall | null;
  /** What a call is about to do. Never throws: what is wrong with its input is said when it runs. */
  describeCall(call: ToolCall): CallDescription;
  /**
   * The same call with other input, in the terms in which it is described; null where the tool cannot be called with
   * that. Left out where the input is the whole of the call's arguments.
   */
  withInput?(call: ToolCall, input: unknown): ToolCall | null;
  /**
   * Runs one call to its end. Never throws for what the model did wrong: it is told in the result. An abort of
   * the signal ends the work as soon as possible; the result is then not used.
   */
  run(call: ToolCall, context: ToolContext): Promise<ToolResult>;
}

/**
 * Why a signal is aborted after which nothing that the turn has begun may go on: nobody would know of it. Commands of a
 * turn that a user interrupts run on.
 */
export const HISTORY_LOST = Symbol("the history of the turn cannot be written");

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

/** What a call is about to do, in the same terms for every tool. */
export interface CallDescription {
  readonly kind: "command" | "commandInput" | "patch" | "mcpTool" | "dynamicTool" | "function";
  /** The one name by which users' programs know it. */
  readonly name: string;
  /** Other names by which they may mean it; of a tool of an MCP server, its name in Claude Code first. */
  readonly aliases: readonly string[];
  /** What it is called with, as JSON. */
  readonly input: unknown;
  /** Of a patch: what it would change, by absolute paths, in this folder; null where it cannot be read. */
  readonly files?: (cwd: string) => readonly PatchedFile[] | null;
}

/** A file as a patch names it; one that is moved is there under both names. */
export type PatchedFile =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  /** As far as the patch shows it: all of its pieces, one below the other. */
  | { readonly kind: "update"; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: "delete"; readonly path: string };

/** A call of a function, by its own name and with its own arguments; input that is no JSON stays text. */
export function describeFunctionCall(
  { name, namespace, input }: Pick<ToolCall, "name" | "namespace" | "input">,
  kind: CallDescription["kind"] = "function",
): CallDescription {
  const whole = namespace === undefined ? name : `${namespace}__${name}`;
  return { kind, name: whole, aliases: [], input: readInput(input) };
}

/** The command that a call of the shell or a patch is described by; null where the input is something else. */
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

/** What a tool may know of the turn, and how it shows its work. */
export interface ToolContext {
  readonly threadId: string;
  readonly turnId: string;
  readonly cwd: string;
  /** The folder that a sandbox calls its workspace, usually the same. */
  readonly workspaceRoot: string;
  readonly sandbox: SandboxPolicy;
  /** How user and agent work together in this turn. */
  readonly mode: ModeKind;
  readonly signal: AbortSignal;
  readonly items: ItemLog;
  /** Takes what a tool has made of files, for the diff of the turn. */
  readonly edited: (edits: readonly FileEdit[]) => void;
  /** Asked before anything that could do harm. */
  readonly permissions: Permissions;
  /** Asks the thread's clients something that is no question of permission. */
  readonly ask: Ask;
  /** Calls back once when the user says something to the turn; the returned function ends that. */
  readonly onInput: (listener: () => void) => () => void;
  /** Tells of the plan that the model follows. */
  readonly plan: (steps: readonly TurnPlanStep[], explanation: string | null) => void;
}

/** Where items appear, for clients and in the history. An item is begun once, and completed once or never. */
export interface ItemLog {
  begin(item: ThreadItem): void;
  complete(item: ThreadItem): void;
  /** A piece of a command's output. */
  outputDelta(itemId: string, delta: string): void;
  /** Text that was typed into a running command. */
  terminalInteraction(itemId: string, processId: string, stdin: string): void;
  /** What an MCP server says about a call that is still running. */
  mcpProgress(itemId: string, message: string): void;
}

export interface ToolResult {
  /** What the model is told. */
  readonly output: string | FunctionCallOutputContentItem[];
  readonly success: boolean;
  /** What came of the call, for programs. */
  readonly value: ResultValue;
}

export type ResultValue =
  | CommandValue
  | PatchValue
  | McpValue
  /** Of every other tool; JSON. */
  | { readonly kind: "data"; readonly data: unknown }
  /** Nothing was done; the output says why. */
  | { readonly kind: "refused" };

/** A command as far as a call has seen it: one that runs on is seen again by the calls that look at it. */
export interface CommandValue {
  readonly kind: "command";
  /** The call that started it, and its command. */
  readonly callId: string;
  readonly command: string;
  /** What it has written since the call before. */
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
  /** Null, as what follows, where the server does not say. */
  readonly structuredContent: unknown;
  readonly isError: boolean | null;
  readonly meta: unknown;
}

/** The result of a call that did nothing. */
export function refuseCall(output: string): ToolResult {
  return { output, success: false, value: { kind: "refused" } };
}

/**
 * Asks the clients of a thread. All of them get the request under one id, and the first valid answer counts. It
 * never throws and never waits longer than the turn: whatever keeps an answer from coming is a reason.
 */
export type Ask = <M extends keyof ServerRequests>(
  method: M,
  params: ServerRequests[M]["params"],
) => Promise<Answer<ServerRequests[M]["result"]>>;

export type Answer<R> =
  | {
      readonly kind: "answered";
      readonly result: R;
      /** The name of the client that answered, where it is known. */
      readonly from?: string;
      /** Whom its token names, where it has one that does. */
      readonly subject?: string;
    }
  /** A client refused or answered nonsense, nobody was there in time, or the server ended. */
  | { readonly kind: "unanswered"; readonly reason: string; readonly cause?: "timeOut" | "nonsense" }
  /** The turn ended first. */
  | { readonly kind: "abandoned" };
