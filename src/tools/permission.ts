/** The permission subjects that tools request, and the answers they receive. */
import type { ApprovalMode } from "../policy/decide-mcp-call.ts";
import type { Tool as McpTool, PermissionGrantScope, ThreadItem } from "../protocol/generated/types.ts";
import type { OpenQuestion } from "../store/decisions.ts";
import type { CallDescription } from "./tool.ts";

/** The only way to obtain permission. */
export interface Permissions {
  /** Never rejects: every failure on the way to a decision is a denial. */
  request<S extends PermissionSubject>(subject: S): Promise<PermissionAnswer<S["kind"]>>;
  /** The same with a hook's preset applied, and for a call whose questions outlive the process. */
  under(preset: PresetPermission | null, call?: KeptCall | null): Permissions;
}

/** A call whose questions outlive the process. */
export interface KeptCall {
  /** The question that an earlier process has asked about the call; null the second time. */
  takeQuestion(): OpenQuestion | null;
  /** Persists that the call waits for an answer. False: that could not be persisted. */
  wait(itemId: string, afterDenial: Retry | null): Promise<boolean>;
  /** The call has its answer, and starts. */
  proceed(): void;
  /** The retry state of the command that an earlier process has asked about. */
  readonly afterDenial: Retry | null;
}

/** A hook's decision before the user is asked: asking is unnecessary, or required. */
export interface PresetPermission {
  readonly behavior: "allow" | "ask";
  readonly reason: string | null;
}

/** Actions that require permission. */
export type PermissionSubject =
  | CommandSubject
  | FileChangeSubject
  | McpCallSubject
  | AdditionalPermissionsSubject;

export type PermissionKind = PermissionSubject["kind"];

interface Subject {
  /** The call that requests permission. */
  readonly call: CallDescription;
}

export interface CommandSubject extends Subject {
  readonly kind: "command";
  /** The item shown while the request is pending; started with the request, completed on a denial. */
  readonly item: CommandItem;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly tty: boolean;
  /** The shell that the server itself would choose. */
  readonly shell: string;
  /** The model's justification, where it gave one. */
  readonly reason: string | null;
  /** The command requests to run outside of the sandbox. */
  readonly escalated: boolean;
  /** The command prefix that the model would like to have allowed permanently. */
  readonly wantedPrefix: readonly string[] | null;
  /**
   * The sandbox has stopped the command, and it would now run without one: the earlier approval's retry
   * state.
   */
  readonly afterDenial: Retry | null;
}

/** Whether a user has approved a command that its sandbox may stop. */
export type Retry = "approved" | "unapproved";

export interface FileChangeSubject extends Subject {
  readonly kind: "fileChange";
  /** Started unless the policy forbids the change; the caller completes it. */
  readonly item: FileChangeItem;
  /** Absolute, with symlinks resolved. */
  readonly paths: readonly string[];
}

export interface McpCallSubject extends Subject {
  readonly kind: "mcpToolCall";
  /** The item has been started. */
  readonly itemId: string;
  readonly server: string;
  readonly tool: McpTool;
  /** The approval mode configured for the tool. */
  readonly mode: ApprovalMode;
  readonly args: unknown;
}

/** The output sent to the model for a call without an answer. */
export const MCP_CALL_CANCELLED = "user cancelled MCP tool call";

/** Permissions beyond the sandbox. */
export interface AdditionalPermissionsSubject extends Subject {
  readonly kind: "permissions";
  readonly itemId: string;
  readonly cwd: string;
  /** The model's justification, where it gave one. */
  readonly reason: string | null;
  readonly requested: AdditionalPermissions;
}

/** Permissions that a model may request, and a user grant, beyond the sandbox. */
export interface AdditionalPermissions {
  readonly network: boolean;
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export type PermissionAnswer<K extends PermissionKind = PermissionKind> =
  | Approved[K]
  | {
      readonly kind: "declined";
      /** The output sent to the model. */
      readonly reason: string;
      /** `policy` and `escalation`: no client was asked, and no item was started. */
      readonly cause: "answer" | "escalation" | "policy";
      /** How long the denial holds, where the client said so. */
      readonly scope?: PermissionGrantScope;
    }
  /** The turn ends. */
  | { readonly kind: "cancelled" };

/** An approval with its details. */
interface Approved {
  readonly command: {
    readonly kind: "approved";
    /** Whether the thread's sandbox applies. */
    readonly sandboxed: boolean;
    /** Allows a request to run without the sandbox, should it stop the command; null forbids it. */
    readonly retry: Retry | null;
  };
  readonly fileChange: { readonly kind: "approved" };
  readonly mcpToolCall: { readonly kind: "approved" };
  readonly permissions: {
    readonly kind: "approved";
    /** Never more than was requested. */
    readonly granted: AdditionalPermissions;
    readonly scope: PermissionGrantScope;
  };
}

export type CommandItem = Extract<ThreadItem, { type: "commandExecution" }>;
export type FileChangeItem = Extract<ThreadItem, { type: "fileChange" }>;
