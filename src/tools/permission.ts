/** What tools ask permission for, and what they are answered. */
import type { ApprovalMode } from "../policy/decide-mcp-call.ts";
import type { Tool as McpTool, PermissionGrantScope, ThreadItem } from "../protocol/generated/types.ts";
import type { CallDescription } from "./tool.ts";

/** The one way to permission. */
export interface Permissions {
  /** Never throws: whatever goes wrong on the way to a decision is a denial. */
  request<S extends PermissionSubject>(subject: S): Promise<PermissionAnswer<S["kind"]>>;
  /** The same where a hook has said something beforehand. */
  under(preset: PresetPermission): Permissions;
}

/** What a hook says before anybody is asked: nobody need be, or somebody must be. */
export interface PresetPermission {
  readonly behavior: "allow" | "ask";
  readonly reason: string | null;
}

/** What must not be done without permission. */
export type PermissionSubject =
  | CommandSubject
  | FileChangeSubject
  | McpCallSubject
  | AdditionalPermissionsSubject;

export type PermissionKind = PermissionSubject["kind"];

interface Subject {
  /** What the call is about to do that asks. */
  readonly call: CallDescription;
}

export interface CommandSubject extends Subject {
  readonly kind: "command";
  /** How the command shows while it is asked about; it is begun when it is, and completed when it must not run. */
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
  /** Its sandbox has stopped the command, and it would run without: what the answer before said of that. */
  readonly afterDenial: Retry | null;
}

/** Whether a user has allowed a command that its sandbox may stop. */
export type Retry = "approved" | "unapproved";

export interface FileChangeSubject extends Subject {
  readonly kind: "fileChange";
  /** Begun unless the policy forbids the change; whoever asks completes it. */
  readonly item: FileChangeItem;
  /** Absolute, with links resolved. */
  readonly paths: readonly string[];
}

export interface McpCallSubject extends Subject {
  readonly kind: "mcpToolCall";
  /** The item has begun. */
  readonly itemId: string;
  readonly server: string;
  readonly tool: McpTool;
  /** What the configuration says of the tool. */
  readonly mode: ApprovalMode;
  readonly args: unknown;
}

/** What the model is told of a call that nobody has answered for. */
export const MCP_CALL_CANCELLED = "user cancelled MCP tool call";

/** More than the sandbox allows. */
export interface AdditionalPermissionsSubject extends Subject {
  readonly kind: "permissions";
  readonly itemId: string;
  readonly cwd: string;
  /** The model's own words, where it gave any. */
  readonly reason: string | null;
  readonly requested: AdditionalPermissions;
}

/** What a model may ask for, and a user grant, beyond the sandbox. */
export interface AdditionalPermissions {
  readonly network: boolean;
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export type PermissionAnswer<K extends PermissionKind = PermissionKind> =
  | Approved[K]
  | {
      readonly kind: "declined";
      /** What the model is told. */
      readonly reason: string;
      /** `policy` and `escalation`: nobody was asked, and no item has begun for it. */
      readonly cause: "answer" | "escalation" | "policy";
      /** For how long a client has said no, where it said so. */
      readonly scope?: PermissionGrantScope;
    }
  /** The turn ends. */
  | { readonly kind: "cancelled" };

/** A yes, and what it says besides. */
interface Approved {
  readonly command: {
    readonly kind: "approved";
    /** Whether the sandbox of the thread holds for it. */
    readonly sandboxed: boolean;
    /** A run without the sandbox may be asked for with this, should it stop the command; null: it may not. */
    readonly retry: Retry | null;
  };
  readonly fileChange: { readonly kind: "approved" };
  readonly mcpToolCall: { readonly kind: "approved" };
  readonly permissions: {
    readonly kind: "approved";
    /** No more than what was requested. */
    readonly granted: AdditionalPermissions;
    readonly scope: PermissionGrantScope;
  };
}

export type CommandItem = Extract<ThreadItem, { type: "commandExecution" }>;
export type FileChangeItem = Extract<ThreadItem, { type: "fileChange" }>;
