/** A client that asks for the messages of the first generation of the protocol, which the peer no longer has. */
import type { Scenario } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import { completed, turn, turnScenario } from "../turn-steps.ts";
import { DELTAS, DONE, exec, exists, UNTRUSTED } from "./approvals-steps.ts";

/** The peer's schemas know no event, so the client wants none: what is left is what both servers say. */
const EVENTS = [
  "session_configured",
  "warning",
  "thread_status_changed",
  "thread_read_state_changed",
  "task_started",
  "user_message",
  "agent_message_delta",
  "agent_message",
  "exec_command_begin",
  "exec_approval_request",
  "server_request_resolved",
  "exec_command_output_delta",
  "exec_command_end",
  "token_count",
  "task_complete",
];

const hello = initialize({
  experimentalApi: true,
  legacyApprovals: true,
  optOutNotificationMethods: EVENTS.map((type) => `codex/event/${type}`),
});

export const legacyScenarios: readonly Scenario[] = [
  turnScenario({
    name: "legacy/events-opted-out",
    about: "A client of the first generation that wants no events hears exactly the notifications of today.",
    model: [DONE],
    steps: [hello, call("thread/start", {}, { as: "thread", settles: true }), turn("Go"), completed],
  }),
  turnScenario({
    name: "legacy/approval",
    about: "An approval is asked for in the older words, and an answer in those of today still counts.",
    races: DELTAS,
    model: [exec("touch made"), DONE],
    steps: [
      hello,
      call("thread/start", UNTRUSTED, { as: "thread", settles: true }),
      turn("Go"),
      { do: "await", message: { params: { cwd: "{{workspace}}" } }, as: "question" },
      { do: "answer", to: "question", result: { decision: "accept" } },
      completed,
      exists("workspace/made", true),
    ],
  }),
];
