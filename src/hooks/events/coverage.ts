/** What is promised of hooks: for every kind of call and every kind of prompt, whether an event fires and what it can change. */

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

/** The column of an event in the matrix of calls or in that of prompts, or its line where it belongs to neither. */
export type Coverage =
  | { readonly of: "calls"; readonly cells: Readonly<Record<CallKind, CoverageCell>> }
  | { readonly of: "prompts"; readonly cells: Readonly<Record<PromptKind, CoverageCell>> }
  | { readonly of: "neither"; readonly when: string; readonly cell: CoverageCell };

/** Kinds of calls: their title, and how hooks and matchers know them; null where no hook is told of them. */
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

/** `asked`: for calls that somebody may be asked about. */
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
      "web search": { silent: "it is done before the server hears of it" },
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

/** `usual`: for a message of the user, in a session that has begun. */
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

/** For prompts that no user has written. */
export const NOT_OF_USER: CoverageCell = { silent: "no user has said it" };

/** For events of a compaction, which most prompts do not cause. */
export const NOT_COMPACTED: CoverageCell = { silent: "unless the history is too long" };

/** For events of agents within threads. */
export const NO_AGENTS: Coverage = {
  of: "neither",
  when: "",
  cell: { silent: "there are no agents within threads yet" },
};
