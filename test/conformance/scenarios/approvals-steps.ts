/** Short ways to write the steps of scenarios about approvals. */
import { customCallDone, functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario, Step } from "../scenario.ts";
import { notification } from "../steps.ts";
import { completed, conversation, TURN_ANSWERS, turn, turnScenario, withThread } from "../turn-steps.ts";

export const DONE: ModelReply = messageReply("Done", { id: "9" });

/** Whether early output is told as deltas, and how it is cut, is a matter of chance on the peer. */
export const DELTAS = ["item/commandExecution/outputDelta"];

/** Without the temporary folders, which all servers on a machine share. */
export const OWN_FOLDERS = {
  tables: "[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n",
};

export const UNTRUSTED = { approvalPolicy: "untrusted", sandbox: "workspace-write" };

/** Everything is asked about that is asked about at all, and only by one of the kinds. */
export const granular = (kinds: Readonly<Record<string, boolean>>) => ({
  granular: { sandbox_approval: true, rules: true, mcp_elicitations: true, ...kinds },
});

export const exec = (cmd: string, id = "1", more: Readonly<Record<string, unknown>> = {}): ModelReply =>
  reply(id, functionCallDone(`call_${id}`, "exec_command", { cmd, ...more }));

/** Two commands in one response. */
export const execBoth = (first: string, second: string): ModelReply =>
  reply(
    "1",
    functionCallDone("call_1", "exec_command", { cmd: first }),
    functionCallDone("call_2", "exec_command", { cmd: second }),
  );

/** A call that wants out of the sandbox. */
export const escalated = (cmd: string, id = "1", more: Readonly<Record<string, unknown>> = {}): ModelReply =>
  exec(cmd, id, { sandbox_permissions: "require_escalated", justification: "May I?", ...more });

export const patch = (...lines: readonly string[]): string =>
  ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

export const apply = (text: string, id = "1"): ModelReply =>
  reply(id, customCallDone(`call_${id}`, "apply_patch", text));

/** Waits for the next question of this kind, and names it. */
export const asks = (kind: "commandExecution" | "fileChange", as = "ask", on?: string): Step => ({
  do: "await",
  message: { method: `item/${kind}/requestApproval` },
  as,
  ...(on === undefined ? {} : { on }),
});
export const asksAboutCommand = asks("commandExecution");
export const asksAboutItem = (itemId: string, as: string): Step => ({
  do: "await",
  message: { method: "item/commandExecution/requestApproval", params: { itemId } },
  as,
});
export const asksAboutFiles = asks("fileChange");

export const decide = (decision: unknown, to = "ask"): Step => ({ do: "answer", to, result: { decision } });

/** An answer on a connection of its own. */
export const decideOn = (on: string, decision: string, to = "ask"): Step => ({
  do: "raw",
  on,
  text: `{"id":{{${to}.id}},"result":{"decision":"${decision}"}}`,
});

export const exists = (path: string, expect: boolean): Step => ({ do: "read", path, as: "exists", expect });

/** The peer asks about the commands of one response in any order. */
export const ANY_ORDER: Pick<Scenario, "freeOrder" | "volatile"> = {
  freeOrder: [
    TURN_ANSWERS.flat(),
    [
      "item/started",
      "item/completed",
      "request item/commandExecution/requestApproval",
      "serverRequest/resolved",
    ],
  ],
  volatile: [
    { message: "request item/commandExecution/requestApproval", pointer: "/id" },
    { message: "serverRequest/resolved", pointer: "/params/requestId" },
  ],
};

/** The peer tells that nobody is waited for any more beside the end of the item, whichever comes first. */
export const STATUS_BY_CHANCE: Pick<Scenario, "freeOrder"> = {
  freeOrder: [TURN_ANSWERS.flat(), ["thread/status/changed"]],
};

/** The peer shows a command that its sandbox stops only when that takes long enough. */
export const SHOWN_BY_CHANCE = [...DELTAS, "item/started", "item/completed"];

export const resolved: Step = notification("serverRequest/resolved");

type ApprovalBrief = Pick<Scenario, "name" | "about" | "model"> &
  Partial<Pick<Scenario, "files" | "races" | "freeOrder" | "volatile">> & {
    readonly thread?: Readonly<Record<string, unknown>>;
    readonly config?: { readonly root?: string; readonly tables?: string };
    /** What happens between the start of the turn and its end. */
    readonly during?: readonly Step[];
    readonly after?: readonly Step[];
  };

/** One turn under a policy, with the questions of it and what the model was told. */
export function approvalTurn({
  thread = UNTRUSTED,
  during = [],
  after = [],
  ...brief
}: ApprovalBrief): Scenario {
  return turnScenario({
    races: DELTAS,
    config: OWN_FOLDERS,
    ...brief,
    steps: [...withThread(thread), turn("Go"), ...during, completed, ...after, conversation],
  });
}
