/** Calls of `exec` that Heddle and the peer are both made with, to be held against each other. */

import { MCP_PROGRAM } from "../conformance/mcp-program.ts";
import {
  functionCallDone,
  type ModelEvent,
  messageDone,
  messageReply,
  reply,
  responseCreated,
} from "../support/model-events.ts";
import type { ModelReply } from "../support/scripted-model.ts";

export interface ExecCase {
  readonly name: string;
  readonly replies?: readonly ModelReply[];
  /** Tables of config.toml. */
  readonly tables?: string;
  readonly isRepository?: boolean;
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** `ID` stands for the thread of the first call. */
  readonly calls: readonly { readonly args: readonly string[]; readonly stdin?: string }[];
}

const done = (item: object): ModelEvent => ({ type: "response.output_item.done", item });
const planned = (status: string) => ({ plan: [{ step: "one", status }] });
const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n";
const WORK: readonly ModelReply[] = [
  reply(
    "0",
    done({ type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "Think" }], content: null }),
    functionCallDone("c0", "update_plan", planned("in_progress")),
  ),
  // The pause decides which of the two pipes is read first.
  reply("1", functionCallDone("c1", "exec_command", { cmd: "echo out; sleep 0.2; echo err >&2" })),
  reply("2", functionCallDone("c2", "exec_command", { cmd: "exit 3" })),
  reply("3", functionCallDone("c3", "exec_command", { cmd: `apply_patch <<'EOF'\n${PATCH}EOF\n` })),
  reply("4", messageDone("m4", "Half way"), functionCallDone("c4", "update_plan", planned("completed"))),
  reply(
    "5",
    done({ type: "web_search_call", id: "ws", status: "completed", action: { type: "open_page", url: "u" } }),
    messageDone("m5", "Done"),
  ),
];
const PLANS = "[tools.update_plan]\nenabled = true\n";
const REFUSED: ModelReply = { status: 400, body: "no" };
const MCP_SERVER = '[mcp_servers.memo]\ncommand = "node"\nargs = ["memo.mjs"]\n';
/** A server's answer, its error, a question that nobody answers, and no such tool. */
const MCP_CALLS: readonly ModelReply[] = [
  ...["echo", "fail", "ask", "nothing"].map((name, at) =>
    reply(
      `${at}`,
      done({
        type: "function_call",
        call_id: `c${at}`,
        name,
        namespace: "mcp__memo",
        arguments: '{"message":"hi"}',
      }),
    ),
  ),
  messageReply("Done"),
];
const REVIEW = JSON.stringify({
  findings: [
    {
      title: "[P1] Wrong",
      body: "It is wrong.",
      confidence_score: 0.9,
      priority: 1,
      code_location: { absolute_file_path: "/a.ts", line_range: { start: 1, end: 2 } },
    },
  ],
  overall_correctness: "patch is incorrect",
  overall_explanation: "One thing is wrong.",
  overall_confidence_score: 0.8,
});
const SCHEMA = '{"type":"object","properties":{},"additionalProperties":false}';

export const cases: readonly ExecCase[] = [
  { name: "a plain turn", calls: [{ args: ["--experimental-json", "Hello"] }, { args: ["Hello"] }] },
  {
    name: "the prompt",
    calls: [
      { args: ["--json"], stdin: "Piped" },
      { args: ["--json", "-"], stdin: "Piped" },
      { args: ["--json", "Do"], stdin: "this" },
      { args: ["--json"] },
      { args: ["--json", "-"] },
      { args: ["--json", "--", "resume"] },
    ],
  },
  {
    name: "no repository",
    isRepository: false,
    calls: [
      { args: ["--json", "Go"] },
      { args: ["--json", "--skip-git-repo-check", "Go"] },
      { args: ["--json", "--yolo", "Go"] },
    ],
  },
  {
    name: "the work of a turn, for programs",
    replies: WORK,
    tables: PLANS,
    calls: [{ args: ["--json", "-s", "danger-full-access", "Go"] }],
  },
  {
    name: "the work of a turn, for people",
    replies: WORK,
    tables: PLANS,
    calls: [{ args: ["-s", "danger-full-access", "-o", "last.txt", "Go"] }],
  },
  {
    name: "a thread that goes on",
    calls: [
      { args: ["--json", "one"] },
      { args: ["--json", "resume", "ID", "two"] },
      { args: ["resume", "--last", "three", "--json"] },
      { args: ["--json", "resume", "--last"], stdin: "four" },
      { args: ["--json", "resume", "00000000-0000-7000-8000-000000000000", "x"] },
    ],
  },
  {
    name: "a provider that refuses",
    replies: [REFUSED],
    calls: [{ args: ["--json", "Go"] }, { args: ["Go"] }],
  },
  {
    name: "an answer that breaks off",
    replies: [{ events: [responseCreated("r")] }],
    calls: [{ args: ["--json", "Go"] }],
  },
  {
    name: "a request that is tried again",
    replies: [{ status: 500, body: {} }, messageReply("x")],
    calls: [{ args: ["--json", "-c", "model_providers.mock.stream_max_retries=2", "Go"] }],
  },
  {
    name: "a schema, and none",
    files: { "schema.json": SCHEMA },
    calls: [
      { args: ["--json", "--output-schema", "schema.json", "Go"] },
      { args: ["--json", "--output-schema", "none.json", "Go"] },
    ],
  },
  {
    name: "no last message",
    replies: [reply("1")],
    calls: [{ args: ["--json", "-o", "last.txt", "Go"] }, { args: ["Go"] }],
  },
  {
    name: "a copy of a thread",
    calls: [
      { args: ["--json", "one"] },
      { args: ["--json", "fork", "ID"] },
      { args: ["--json", "fork", "ID", "two"] },
      { args: ["fork", "ID", "three"] },
      { args: ["fork", "ID"] },
      { args: ["two", "fork", "ID", "--json"] },
      { args: ["--json", "fork", "ID", "-"], stdin: "four" },
      { args: ["--json", "fork", "ID", "five"], stdin: "more" },
      { args: ["--json", "fork", "nobody", "x"] },
      { args: ["--json", "fork", "00000000-0000-7000-8000-000000000000", "x"] },
      { args: ["--json", "--ephemeral", "fork", "ID"] },
      { args: ["--json", "fork", "ID", "-o", "last.txt"] },
      { args: ["--json", "fork", "ID", "-i", "x.png"] },
    ],
  },
  {
    name: "a review",
    replies: [messageReply(REVIEW)],
    calls: [
      { args: ["--json", "review", "--uncommitted"] },
      { args: ["review", "--uncommitted", "-o", "last.txt"] },
      { args: ["--json", "review", "Look at it"] },
      { args: ["--json", "review", "-"], stdin: "Look at it" },
      { args: ["--json", "review", "-"], stdin: " " },
      { args: ["--json", "review"] },
      { args: ["review", "--commit", "0123456789", "--title", "T"] },
    ],
  },
  {
    name: "a review that is no JSON",
    replies: [messageReply("It is fine")],
    calls: [{ args: ["--json", "review", "--uncommitted"] }, { args: ["review", "--uncommitted"] }],
  },
  {
    name: "calls of an MCP server, for programs",
    replies: MCP_CALLS,
    tables: MCP_SERVER,
    files: { "memo.mjs": MCP_PROGRAM },
    calls: [{ args: ["--json", "Go"] }],
  },
  {
    name: "calls of an MCP server, for people",
    replies: MCP_CALLS,
    tables: MCP_SERVER,
    files: { "memo.mjs": MCP_PROGRAM },
    calls: [{ args: ["Go"] }],
  },
  {
    name: "a local provider that is not asked for",
    calls: [{ args: ["--json", "--local-provider", "ollama", "Go"] }],
  },
];
