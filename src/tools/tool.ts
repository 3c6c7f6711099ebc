import type {
  FunctionCallOutputContentItem,
  SandboxPolicy,
  ThreadItem,
  TurnPlanStep,
} from "../protocol/generated/types.ts";
import type { Ask } from "./ask.ts";
import type { FileEdit } from "./diff/file-state.ts";

/** Something that the model can call. One file each: how it is offered, how it reads its input, what it does. */
export interface Tool {
  readonly name: string;
  /** Tools of one namespace are offered together, and called by both names. */
  readonly namespace?: ToolNamespace;
  /** The entry in the request's `tools`, or in those of the namespace. */
  readonly spec: unknown;
  /** Whether a call may run beside other calls of the same response. */
  readonly parallel: boolean;
  /**
   * Runs one call to its end. Never throws for what the model did wrong: it is told in the result. An abort of
   * the signal ends the work as soon as possible; the result is then not used.
   */
  run(call: ToolCall, context: ToolContext): Promise<ToolResult>;
}

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
  readonly sandbox: SandboxPolicy;
  readonly signal: AbortSignal;
  readonly items: ItemLog;
  /** Hears what a tool has made of files, for the diff of the turn. */
  readonly edited: (edits: readonly FileEdit[]) => void;
  /** Asks for leave. Whatever goes wrong on the way to a decision is a denial. */
  readonly approve: (request: ApprovalRequest) => Promise<ApprovalDecision>;
  /** Asks the thread's clients something that is no question of leave. */
  readonly ask: Ask;
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

export type ApprovalRequest =
  | {
      readonly kind: "command";
      readonly itemId: string;
      readonly argv: readonly string[];
      readonly cwd: string;
      /** The model's own words, where it gave any. */
      readonly reason: string | null;
      /** The command wants out of the sandbox. */
      readonly escalated: boolean;
    }
  | {
      readonly kind: "fileChange";
      readonly itemId: string;
      readonly paths: readonly string[];
      readonly reason: string | null;
    };

export type ApprovalDecision =
  | { readonly kind: "approved" }
  /** The model is told the reason and goes on. */
  | { readonly kind: "declined"; readonly reason: string }
  /** The turn ends. */
  | { readonly kind: "cancelled" };

/** What the model is told. */
export interface ToolResult {
  readonly output: string | FunctionCallOutputContentItem[];
  readonly success: boolean;
}
