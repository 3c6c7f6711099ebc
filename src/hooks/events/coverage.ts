/**
 * The coverage matrix of hooks: for each kind of call and prompt, whether an event fires and what a hook can
 * change.
 */

export type CoverageCell =
  | {
      /** The abilities of a hook besides observing. */
      readonly can: readonly HookAbility[];
      /** The tool name that the hook receives, where it differs from the row's. */
      readonly as?: string;
    }
  /** Why the event does not fire. */
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
  | "make it continue";

/** The event's column in the matrix of calls or prompts, or a line of its own. */
export type Coverage =
  | { readonly of: "calls"; readonly cells: Readonly<Record<CallKind, CoverageCell>> }
  | { readonly of: "prompts"; readonly cells: Readonly<Record<PromptKind, CoverageCell>> }
  | { readonly of: "neither"; readonly when: string; readonly cell: CoverageCell };

/** Kinds of calls: title, and tool name in hook input and matchers; null where no hook fires. */
export const CALL_KINDS = {
  command: { title: "a command", name: "Bash" },
  patch: { title: "a patch", name: "apply_patch" },
  "hidden patch": { title: "a patch that is hidden in a command", name: "apply_patch" },
  "MCP tool": { title: "a tool of an MCP server", name: "mcp__server__tool" },
  "dynamic tool": { title: "a tool of the client", name: "the tool's own" },
  plan: { title: "the plan", name: "update_plan" },
  image: { title: "a look at an image", name: "view_image" },
  typing: { title: "typing into a running command", name: "write_stdin" },
  permissions: { title: "a request for permissions", name: "request_permissions" },
  "web search": { title: "a web search of the provider", name: null },
  "user command": { title: "the user's own `!command`", name: null },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly name: string | null }>>;

export type CallKind = keyof typeof CALL_KINDS;

type UnaskedKind = "dynamic tool" | "plan" | "image" | "typing";

/** `asked` applies to calls that may require permission. */
export function coverCalls(
  asked: CoverageCell,
  unasked: CoverageCell | Readonly<Record<UnaskedKind, CoverageCell>>,
): Coverage {
  const others =
    "can" in unasked || "silent" in unasked
      ? { "dynamic tool": unasked, plan: unasked, image: unasked, typing: unasked }
      : unasked;
  return {
    of: "calls",
    cells: {
      command: asked,
      patch: asked,
      "hidden patch": asked,
      "MCP tool": asked,
      permissions: asked,
      ...others,
      "web search": { silent: "the server learns of it only afterwards" },
      "user command": { silent: "it is the user's own, not the model's" },
    },
  };
}

/** Kinds of prompts and their titles. */
export const PROMPT_KINDS = {
  first: "the first of a session",
  direct: "a direct one",
  steered: "one that steers a turn",
  "left over": "one that an interrupted turn has left",
  continuation: "the reason of a `Stop` hook",
  review: "that of a review",
  compaction: "that of a compaction",
  queued: "a queued one",
  goal: "that of a goal",
} as const;

export type PromptKind = keyof typeof PROMPT_KINDS;

/** `usual` applies to a user message in a started session. */
export function coverPrompts(
  usual: CoverageCell,
  others: Partial<Readonly<Record<PromptKind, CoverageCell>>> = {},
): Coverage {
  return {
    of: "prompts",
    cells: {
      first: usual,
      direct: usual,
      steered: usual,
      "left over": usual,
      continuation: usual,
      review: usual,
      compaction: { silent: "it is no part of the conversation" },
      queued: usual,
      goal: { silent: "there are none yet" },
      ...others,
    },
  };
}

export const WATCH: CoverageCell = { can: ["watch"] };

/** For prompts that the user did not write. */
export const NOT_OF_USER: CoverageCell = { silent: "not written by a user" };

/** For compaction events, which most prompts do not cause. */
export const NOT_COMPACTED: CoverageCell = { silent: "unless the history is too long" };

/** For events of subagents. */
export const NO_AGENTS: Coverage = {
  of: "neither",
  when: "",
  cell: { silent: "there are no agents within threads yet" },
};
