import type {
  FunctionCallOutputContentItem,
  ModeKind,
  SandboxPolicy,
  ThreadItem,
  TurnPlanStep,
} from "../protocol/generated/types.ts";
import type { LeaveRecord, Matter } from "../store/decisions/decision-log.ts";
import type { Ask } from "./ask.ts";
import type { FileEdit } from "./diff/file-state.ts";

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
  /** Asks for leave. Whatever goes wrong on the way to a decision is a denial. */
  readonly approve: (request: ApprovalRequest) => Promise<ApprovalDecision>;
  /** Asks the thread's clients something that is no question of leave, or one that is recorded elsewhere. */
  readonly ask: Ask;
  /** Begins the record of a request for leave that does not go through `approve`. */
  readonly recordLeave: (matter: Pick<Matter, "itemId" | "subject">) => LeaveRecord;
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

export type ApprovalRequest = CommandApproval | FileChangeApproval;

export interface CommandApproval {
  readonly kind: "command";
  /** How the command shows while it is asked about; whoever asks begins it. */
  readonly item: CommandItem;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly tty: boolean;
  /** The shell that the server itself would choose. */
  readonly shell: string;
  /** The model's own words, where it gave any. */
  readonly reason: string | null;
  /** The command wants out of the sandbox. */
  readonly escalated: boolean;
  /** The beginning that the model would like to have allowed for good. */
  readonly wantedPrefix: readonly string[] | null;
  /** Its sandbox has stopped the command, and it would run without: what the decision before said of that. */
  readonly afterDenial: Retry | null;
}

/** Whether a user has allowed a command that its sandbox may stop. */
export type Retry = "approved" | "unapproved";

export interface FileChangeApproval {
  readonly kind: "fileChange";
  /** The item has begun. */
  readonly itemId: string;
  readonly paths: readonly string[];
  readonly reason: string | null;
}

export type ApprovalDecision =
  | {
      readonly kind: "approved";
      /** Whether the sandbox of the thread holds for it. */
      readonly sandboxed: boolean;
      /** Leave to run without the sandbox may be asked for with this, should it stop the command; null: it may not. */
      readonly retry: Retry | null;
    }
  /** The model is told the reason and goes on; an item that was begun for the question has been completed. */
  | { readonly kind: "declined"; readonly reason: string; readonly cause: "answer" | "escalation" | "policy" }
  /** The turn ends. */
  | { readonly kind: "cancelled" };

export type CommandItem = Extract<ThreadItem, { type: "commandExecution" }>;

/** What the model is told. */
export interface ToolResult {
  readonly output: string | FunctionCallOutputContentItem[];
  readonly success: boolean;
}
