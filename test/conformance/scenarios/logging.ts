/** What goes to stderr. */
import {
  functionCallDone,
  messageReply,
  responseCompleted,
  responseCreated,
} from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import { call, initialize, notification, STDIO } from "../steps.ts";

export const loggingScenarios: readonly Scenario[] = [
  {
    name: "logging/json",
    about: "With LOG_FORMAT=json the log is one JSON object a line; the end of the connection is logged.",
    transports: STDIO,
    env: { LOG_FORMAT: "json", RUST_LOG: "codex_app_server=info" },
    steps: [
      { do: "endInput" },
      { do: "exit", expect: { code: 0 } },
      {
        do: "log",
        where: { fields: { message: "processor task exited" } },
        expect: {
          level: "INFO",
          fields: {
            exit_reason: "stdio_connection_closed",
            remaining_connection_count: 0,
            shutdown_forced: false,
          },
          target: "codex_app_server",
        },
      },
    ],
  },
  {
    name: "logging/tool-call",
    about: "A tool call is logged with its names, ids and durations.",
    transports: STDIO,
    env: { LOG_FORMAT: "json", RUST_LOG: "warn,codex_core::tools::parallel=info" },
    model: [
      {
        events: [
          responseCreated("resp_1"),
          functionCallDone("exec-call-1", "exec_command", { cmd: "true" }),
          responseCompleted("resp_1"),
        ],
      },
      messageReply("done", { id: "2" }),
    ],
    volatile: [
      { message: "log event", pointer: "/fields/trace_id" },
      { message: "log event", pointer: "/fields/*_duration_ms" },
    ],
    freeOrder: [["response turn/start"]],
    races: ["item/commandExecution/outputDelta"],
    steps: [
      initialize(),
      call("thread/start", {}, { settles: true }),
      call("turn/start", {
        threadId: "{{thread/start.result.thread.id}}",
        input: [{ type: "text", text: "run a command" }],
      }),
      notification("turn/completed"),
      {
        do: "log",
        where: { fields: { "event.name": "codex.tool_call" } },
        expect: { level: "INFO", fields: { tool_name: "exec_command", call_id: "exec-call-1" } },
      },
    ],
  },
];
