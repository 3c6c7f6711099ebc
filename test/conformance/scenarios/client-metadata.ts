/** What the model provider is told about the client, the thread and the turn. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification, STDIO } from "../steps.ts";

/** The answer that a turn has started may come before or after its first notifications. */
const TURN_ANSWERS = [["response turn", "response forked turn", "response steer", "response review"]];

const METADATA = "/headers/x-codex-turn-metadata";
const asked: Step = {
  do: "model",
  pick: [METADATA, "/headers/x-codex-window-id", "/headers/x-openai-subagent"],
};

const turn = (text: string, more: Record<string, unknown> = {}, as = "turn", thread = "thread") =>
  call(
    "turn/start",
    { threadId: `{{${thread}.result.thread.id}}`, input: [{ type: "text", text }], ...more },
    { as },
  );

const SUB_AGENT = "00000000-0000-4000-8000-00000000000a";
const PARENT = "00000000-0000-4000-8000-00000000000b";
const ROOT = "00000000-0000-4000-8000-00000000000c";
const AT = "2025-01-05T12:00:00Z";

/** The history of a sub-agent of an earlier session, as the peer's rollout files have it. */
const SUB_AGENT_ROLLOUT = [
  {
    type: "session_meta",
    payload: {
      id: SUB_AGENT,
      session_id: ROOT,
      parent_thread_id: PARENT,
      timestamp: AT,
      cwd: "/",
      originator: "codex",
      cli_version: "0.0.0",
      source: { subagent: { other: "guardian" } },
      model_provider: "mock",
    },
  },
  {
    type: "response_item",
    payload: {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "Saved sub-agent message" }],
    },
  },
  { type: "event_msg", payload: { type: "user_message", message: "Saved sub-agent message", kind: "plain" } },
]
  .map((line) => `${JSON.stringify({ timestamp: AT, ...line })}\n`)
  .join("");

export const clientMetadataScenarios: readonly Scenario[] = [
  {
    name: "client-metadata/turn",
    about:
      "A turn's client metadata travel with the request to the model; what the server itself knows wins.",
    transports: STDIO,
    freeOrder: TURN_ANSWERS,
    model: [messageReply("Done")],
    steps: [
      initialize(),
      call("thread/start", { threadSource: "automation" }, { as: "thread", settles: true }),
      turn("Hello", {
        responsesapiClientMetadata: {
          fiber_run_id: "fiber-start-123",
          origin: "gaas",
          context_window_id: "client-supplied",
        },
      }),
      notification("turn/completed"),
      {
        do: "model",
        pick: ["/headers/originator", "/headers/user-agent", "/body/model", "/body/stream", "/body/store"],
      },
      {
        ...asked,
        expect: [
          {
            [METADATA]: {
              fiber_run_id: "fiber-start-123",
              origin: "gaas",
              thread_source: "automation",
              turn_id: "{{turn.result.turn.id}}",
              context_window_id: { $regex: "^[0-9a-f-]{36}$" },
            },
          },
        ],
      },
    ],
  },
  {
    name: "client-metadata/fork",
    about: "A turn of a forked thread tells the thread it was forked from.",
    transports: STDIO,
    freeOrder: TURN_ANSWERS,
    model: [messageReply("Saved"), messageReply("Done", { id: "2" })],
    steps: [
      initialize(),
      call("thread/start", {}, { as: "thread", settles: true }),
      turn("Saved user message"),
      notification("turn/completed"),
      call(
        "thread/fork",
        { threadId: "{{thread.result.thread.id}}", threadSource: "user", excludeTurns: true },
        { as: "fork", settles: true },
      ),
      turn("Continue", {}, "forked turn", "fork"),
      notification("turn/completed"),
      {
        ...asked,
        expect: [
          {},
          {
            [METADATA]: {
              forked_from_thread_id: "{{thread.result.thread.id}}",
              thread_id: "{{fork.result.thread.id}}",
            },
          },
        ],
      },
    ],
  },
  {
    name: "client-metadata/review",
    about: "A review's request tells the thread that is reviewed as its parent.",
    transports: STDIO,
    freeOrder: TURN_ANSWERS,
    model: [
      messageReply(
        '{"findings":[],"overall_correctness":"good","overall_explanation":"Done","overall_confidence_score":0.5}',
      ),
    ],
    steps: [
      initialize(),
      call("thread/start", {}, { as: "thread", settles: true }),
      call(
        "review/start",
        {
          threadId: "{{thread.result.thread.id}}",
          delivery: "inline",
          target: { type: "custom", instructions: "Review the fork" },
        },
        { as: "review", expect: { result: { reviewThreadId: "{{thread.result.thread.id}}" } } },
      ),
      notification("turn/completed"),
      {
        ...asked,
        expect: [
          {
            [METADATA]: {
              parent_thread_id: "{{thread.result.thread.id}}",
              forked_from_thread_id: { $absent: true },
            },
            "/headers/x-openai-subagent": "review",
          },
        ],
      },
    ],
  },
  {
    name: "client-metadata/steer",
    about: "The metadata of a steer replace those of the turn in the requests that follow.",
    transports: STDIO,
    freeOrder: TURN_ANSWERS,
    races: ["account/rateLimits/updated"],
    model: [unfinishedReply("Working"), messageReply("Done", { id: "2" })],
    steps: [
      initialize(),
      call("thread/start", {}, { as: "thread", settles: true }),
      turn("Run sleep", { responsesapiClientMetadata: { fiber_run_id: "fiber-start-123" } }),
      notification("item/agentMessage/delta"),
      call(
        "turn/steer",
        {
          threadId: "{{thread.result.thread.id}}",
          expectedTurnId: "{{turn.result.turn.id}}",
          input: [{ type: "text", text: "Focus on the failure" }],
          responsesapiClientMetadata: { fiber_run_id: "fiber-steer-456", origin: "gaas" },
        },
        { as: "steer" },
      ),
      notification("turn/completed"),
      {
        ...asked,
        expect: [
          { [METADATA]: { fiber_run_id: "fiber-start-123", turn_id: "{{turn.result.turn.id}}" } },
          {
            [METADATA]: {
              fiber_run_id: "fiber-steer-456",
              origin: "gaas",
              turn_id: "{{turn.result.turn.id}}",
            },
          },
        ],
      },
    ],
  },
  {
    name: "client-metadata/sub-agent",
    about: "A turn of a resumed sub-agent tells its parent, its kind and the root of its session.",
    transports: STDIO,
    freeOrder: TURN_ANSWERS,
    model: [messageReply("Done")],
    files: { [`home/sessions/2025/01/05/rollout-2025-01-05T12-00-00-${SUB_AGENT}.jsonl`]: SUB_AGENT_ROLLOUT },
    steps: [
      initialize(),
      call(
        "thread/resume",
        { threadId: SUB_AGENT },
        {
          as: "thread",
          settles: true,
          expect: { result: { thread: { id: SUB_AGENT, sessionId: ROOT, parentThreadId: PARENT } } },
        },
      ),
      turn("Continue"),
      notification("turn/completed"),
      {
        ...asked,
        expect: [
          {
            [METADATA]: {
              parent_thread_id: PARENT,
              subagent_kind: "guardian",
              session_id: ROOT,
              thread_id: SUB_AGENT,
              forked_from_thread_id: { $absent: true },
            },
          },
        ],
      },
    ],
  },
];
