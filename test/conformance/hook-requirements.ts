/** The requirements about hooks, by the peer's test module that shows them; see requirements.ts. */
import { type Row, under } from "./requirement-row.ts";

export const hookRequirements: Readonly<Record<string, readonly Row[]>> = {
  hooks_list: [
    [
      "discovered",
      "a hook of the user's configuration is shown with all that is known of it",
      ["hooks-list/tables", "hooks-list/all-shapes"],
    ],
    ["plugin", "a plugin's hooks are shown", "omitted: plugins"],
    ["plugin-upgrade", "a plugin's new hooks reach loaded threads", "omitted: plugins"],
    ["plugin-warnings", "faults of a plugin's hooks are warnings", "omitted: plugins"],
    [
      "folder",
      "each folder has the hooks of its own layers",
      [
        "hooks-list/folders",
        "hooks-list/sources",
        "hooks-list/untrusted-project",
        "hooks-list/off",
        "hooks-list/off-in-a-project",
      ],
    ],
    ["linked-worktree", "a linked worktree has the hooks of the main checkout", "hooks-list/linked-worktree"],
    ["batch-write", "a hook is switched off and on by a write", ["hooks-list/trust", "hooks-list/state"]],
    [
      "loaded",
      "trust that is given reaches loaded threads",
      ["hooks-list/trust-of-a-thread", "hooks-list/thread", "hooks-list/refusals"],
    ],
    ["bypass", "a thread may bypass trust", "hooks-list/bypass"],
    [
      "warnings",
      "what is wrong with a file is a warning",
      [
        "hooks-list/questionable",
        "hooks-list/broken",
        "hooks-list/lenient-file",
        "hooks-list/lenient-table",
        "hooks-list/heddle-kinds",
      ],
    ],
    [
      "managed",
      "managed hooks come first, and a thread does not start without them",
      ["hooks-list/managed-only", "hooks-list/managed-matcher", "hooks-list/managed-handler"],
    ],
  ],
  hooks: [
    [
      "lifecycle",
      "what the lifecycle layer renders is taken as it is meant",
      [
        "hooks/lifecycle-stop",
        "hooks/lifecycle-context",
        "hooks/lifecycle-prompt",
        "hooks/lifecycle-tool",
        "hooks/lifecycle-compaction",
      ],
    ],
    [
      "prompts",
      "hooks add to prompts and block them, also those of a turn that runs",
      under("hooks", "prompt-context", "prompt-blocked", "prompt-of-parts", "steered"),
    ],
    [
      "sessions",
      "hooks run when a session begins and ends",
      under(
        "hooks",
        "session-start",
        "session-start-stops",
        "session-end",
        "session-end-archived",
        "session-end-deleted",
        "session-end-shutdown",
        "resumed",
        "forked",
      ),
    ],
    [
      "tools",
      "hooks see, block and change calls and what comes of them",
      under(
        "hooks",
        "tool-told",
        "tool-failed-command",
        "tool-blocked",
        "tool-rewritten",
        "tool-output-replaced",
        "patch-told",
        "mcp-told",
        "mcp-failed",
        "plan-told",
        "unknown-tool",
        "hidden-patch",
        "failed-patch",
        "rewritten-badly",
        "aliases",
      ),
    ],
    [
      "permission",
      "hooks answer in place of those who are asked",
      under("hooks", "permission-allowed", "permission-denied", "permission-denied-patch", "permission-left"),
    ],
    ["mcp", "a tool of an MCP server may be a hook", "hooks/mcp-handler"],
    ["stop", "hooks make a turn go on", under("hooks", "stop-continues", "stop-ends")],
    [
      "compaction",
      "hooks see compactions and stop them",
      under("hooks", "compaction", "compaction-stopped", "compaction-requests", "compaction-failed"),
    ],
    [
      "async",
      "what hooks say that nobody waits for is told later",
      under("hooks", "async-same-turn", "async-next-turn", "async-answered-turn", "async-cannot-block"),
    ],
    ["requests", "hooks see requests to the model", "hooks/model-requests"],
    ["interrupt", "hooks see interruptions", "hooks/interrupt"],
    ["failures", "hooks that fail say so", "hooks/failures"],
  ],
};
