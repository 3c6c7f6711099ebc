/** What is promised of hooks: for every kind of call and every kind of prompt, which events fire and what they can change. */
import type { HookEventName } from "../hook-event.ts";

export type CoverageCell =
  | {
      /** What a hook can do there; that it watches goes without saying. */
      readonly can: readonly HookAbility[];
      /** The name of the tool that it is told, where that is not the one of the row. */
      readonly as?: string;
    }
  /** Why nothing fires. */
  | { readonly silent: string };

export type HookAbility =
  | "watch"
  | "block"
  | "change the input"
  | "allow"
  | "deny"
  | "have it asked about"
  | "replace the answer"
  | "add context"
  | "end the turn"
  | "make it go on";

export type CallKind =
  | "command"
  | "patch"
  | "hidden patch"
  | "MCP tool"
  | "dynamic tool"
  | "plan"
  | "image"
  | "typing"
  | "permissions"
  | "web search"
  | "user command";

export type ToolEvent = Extract<HookEventName, "PreToolUse" | "PermissionRequest" | "PostToolUse">;

export interface CallRow {
  readonly title: string;
  /** How hooks and matchers know it; null where no hook hears of it. */
  readonly name: string | null;
  readonly cells: Readonly<Record<ToolEvent, CoverageCell>>;
}

const ASKED: Readonly<Record<ToolEvent, CoverageCell>> = {
  PreToolUse: { can: ["block", "change the input", "allow", "have it asked about", "add context"] },
  PermissionRequest: { can: ["allow", "deny"] },
  PostToolUse: { can: ["replace the answer", "add context"] },
};

function unasked(because: string): Readonly<Record<ToolEvent, CoverageCell>> {
  return {
    PreToolUse: { can: ["block", "change the input", "add context"] },
    PermissionRequest: { silent: because },
    PostToolUse: { can: ["replace the answer", "add context"] },
  };
}

function unheard(because: string): Readonly<Record<ToolEvent, CoverageCell>> {
  return {
    PreToolUse: { silent: because },
    PermissionRequest: { silent: because },
    PostToolUse: { silent: because },
  };
}

const HARMLESS = "nobody is asked: it changes nothing";

export const CALL_COVERAGE: Readonly<Record<CallKind, CallRow>> = {
  command: { title: "a command", name: "Bash", cells: ASKED },
  patch: { title: "a patch", name: "apply_patch", cells: ASKED },
  "hidden patch": { title: "a patch that is hidden in a command", name: "apply_patch", cells: ASKED },
  "MCP tool": { title: "a tool of an MCP server", name: "mcp__server__tool", cells: ASKED },
  "dynamic tool": {
    title: "a tool of the client",
    name: "the tool's own",
    cells: unasked("nobody is asked: the client does it itself"),
  },
  plan: { title: "the plan", name: "update_plan", cells: unasked(HARMLESS) },
  image: { title: "a look at an image", name: "view_image", cells: unasked(HARMLESS) },
  typing: {
    title: "typing into a running command",
    name: "write_stdin",
    cells: {
      ...unasked("nobody is asked: the command was, when it began"),
      PostToolUse: { can: ["replace the answer", "add context"], as: "Bash" },
    },
  },
  permissions: { title: "a request for permissions", name: "request_permissions", cells: ASKED },
  "web search": {
    title: "a web search of the provider",
    name: null,
    cells: unheard("it is done before the server hears of it"),
  },
  "user command": {
    title: "the user's own `!command`",
    name: null,
    cells: unheard("it is the user's own, not the model's"),
  },
};

export type PromptKind =
  | "first"
  | "direct"
  | "steered"
  | "left over"
  | "continuation"
  | "review"
  | "compaction"
  | "queued"
  | "goal";

export type PromptEvent = Extract<
  HookEventName,
  | "SessionStart"
  | "UserPromptSubmit"
  | "PreModelRequest"
  | "PostModelRequest"
  | "PreCompact"
  | "PostCompact"
  | "Stop"
  | "Interrupt"
>;

export interface PromptRow {
  readonly title: string;
  readonly cells: Readonly<Record<PromptEvent, CoverageCell>>;
}

const WATCH: CoverageCell = { can: ["watch"] };
const BEGUN: CoverageCell = { silent: "the session has begun" };
const NOT_COMPACTED: CoverageCell = { silent: "unless the history is too long" };

/** A message of the user, in a session that has begun. */
const MESSAGE: Readonly<Record<PromptEvent, CoverageCell>> = {
  SessionStart: BEGUN,
  UserPromptSubmit: { can: ["block", "add context"] },
  PreModelRequest: WATCH,
  PostModelRequest: WATCH,
  PreCompact: NOT_COMPACTED,
  PostCompact: NOT_COMPACTED,
  Stop: { can: ["make it go on", "end the turn"] },
  Interrupt: WATCH,
};

function absent(because: string): Readonly<Record<PromptEvent, CoverageCell>> {
  const cell = { silent: because };
  return {
    SessionStart: cell,
    UserPromptSubmit: cell,
    PreModelRequest: cell,
    PostModelRequest: cell,
    PreCompact: cell,
    PostCompact: cell,
    Stop: cell,
    Interrupt: cell,
  };
}

export const PROMPT_COVERAGE: Readonly<Record<PromptKind, PromptRow>> = {
  first: {
    title: "the first of a session",
    cells: { ...MESSAGE, SessionStart: { can: ["add context", "end the turn"] } },
  },
  direct: { title: "a direct one", cells: MESSAGE },
  steered: { title: "one that steers a turn", cells: MESSAGE },
  "left over": { title: "one that an interrupted turn has left", cells: MESSAGE },
  continuation: {
    title: "the reason of a `Stop` hook",
    cells: { ...MESSAGE, UserPromptSubmit: { silent: "no user has said it" } },
  },
  review: {
    title: "that of a review",
    cells: {
      ...MESSAGE,
      SessionStart: { silent: "the reviewer has no session" },
      UserPromptSubmit: { silent: "no user has said it" },
      Stop: { silent: "the reviewer's end is not the thread's" },
    },
  },
  compaction: {
    title: "that of a compaction",
    cells: {
      ...absent("it is no part of the conversation"),
      PreCompact: { can: ["block"] },
      PostCompact: { can: ["end the turn"] },
      Interrupt: WATCH,
    },
  },
  queued: { title: "a queued one", cells: MESSAGE },
  goal: { title: "that of a goal", cells: absent("there are none yet") },
};

/** Events that belong to no call and to no prompt. */
export const OTHER_COVERAGE: Readonly<
  Record<Exclude<HookEventName, ToolEvent | PromptEvent>, CoverageCell & { readonly when: string }>
> = {
  SessionEnd: { can: ["watch"], when: "when a thread is archived, deleted or unloaded, or the server ends" },
  SubagentStart: { silent: "there are no agents within threads yet", when: "" },
  SubagentStop: { silent: "there are no agents within threads yet", when: "" },
};
