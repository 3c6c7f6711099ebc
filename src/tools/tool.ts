import type {
  FunctionCallOutputContentItem,
  ModeKind,
  SandboxPolicy,
  ServerRequests,
  ThreadItem,
  TurnPlanStep,
} from "../protocol/generated/types.ts";
import type { FileEdit } from "./diff/file-state.ts";
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
  /** Hears what a tool has made of files, for the diff of the turn. */
  readonly edited: (edits: readonly FileEdit[]) => void;
  /** Asked before anything that could do harm. */
  readonly permissions: Permissions;
  /** Asks the thread's clients something that is no question of permission. */
  readonly ask: Ask;
  /** Calls back once when the user says something to the turn; the returned function ends that. */
  readonly onInput: (heard: () => void) => () => void;
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

/** What the model is told. */
export interface ToolResult {
  readonly output: string | FunctionCallOutputContentItem[];
  readonly success: boolean;
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
    }
  /** A client refused or answered nonsense, nobody was there in time, or the server ended. */
  | { readonly kind: "unanswered"; readonly reason: string; readonly cause?: "timeOut" | "nonsense" }
  /** The turn ended first. */
  | { readonly kind: "abandoned" };
