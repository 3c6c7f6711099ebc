/** The requirements about approvals, by the peer's test module that shows them; see requirements.ts. */
import type { Row } from "./requirement-row.ts";

const approvals = (...names: readonly string[]) => names.map((name) => `approvals/${name}`);

export const approvalRequirements: Readonly<Record<string, readonly Row[]>> = {
  request_permissions: [
    [
      "round-trip",
      "permissions are asked for, granted in part, and hold",
      ["granted", "nothing-granted", "more-than-asked", "refused", "never", "empty"].map(
        (name) => `permissions/${name}`,
      ),
    ],
  ],
  turn_start: [
    [
      "command-decisions",
      "every decision about a command, and what is told of it",
      approvals(
        "accept",
        "accept-failing",
        "accept-for-session",
        "accept-with-amendment",
        "accept-with-own-amendment",
        "accept-with-empty-amendment",
        "decline",
        "cancel",
        "several-calls",
        "several-parts",
      ),
    ],
    [
      "patch-decisions",
      "every decision about a patch, and what is told of it",
      approvals(
        "patch-accept",
        "patch-accept-for-session",
        "patch-decline",
        "patch-cancel",
        "patch-through-the-shell",
      ),
    ],
    [
      "patch-places",
      "where a patch may write unasked",
      approvals(
        "patch-inside",
        "patch-outside",
        "patch-outside-declined",
        "patch-partly-outside",
        "patch-kept-entries",
        "patch-never",
        "patch-granular",
        "patch-read-only",
      ),
    ],
    ["approval-overrides", "policy and sandbox of a turn", approvals("policy-of-a-turn")],
  ],
  wire: [
    [
      "approval-failures",
      "whatever is no valid answer is a denial",
      approvals("error-answer", "garbage-answers", "patch-error-answer", "patch-garbage-answers"),
    ],
    [
      "approval-policies",
      "when commands are asked about",
      approvals(
        "on-request-inside",
        "on-request-escalated",
        "on-request-escalated-declined",
        "prefix-rule",
        "session-does-not-escalate",
        "never",
        "granular-asks",
        "granular-refuses",
        "rules",
        "danger",
        "wrapped-danger",
        "readers-untrusted",
        "readers-asked",
      ),
    ],
    ["denials", "what the model sees of a sandbox", approvals("read-only-sandbox", "no-network")],
    [
      "approval-ends",
      "answers that come late, and turns that end first",
      approvals("late-answer", "interrupt", "patch-interrupt", "cancel-of-two", "steered"),
    ],
    [
      "approval-clients",
      "who is asked and who may answer",
      approvals("two-clients", "stranger-answers", "yes-and-no", "late-client", "asker-hangs-up"),
    ],
  ],
};
