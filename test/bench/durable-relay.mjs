// The floor for a durable server in Node: the bare relay, plus the journal lines that Heddle owes for a turn, in two
// groups that are each preceded by the stat against foreign writes, the same notifications, and a request of the same
// size. It checks, decides and remembers nothing else.
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";

const home = process.env["CODEX_HOME"] ?? "";
const config = readFileSync(join(home, "config.toml"), "utf8");
const url = new URL(`${/base_url = "([^"]+)"/u.exec(config)?.[1]}/responses`);
const agent = new Agent({ keepAlive: true });
const threads = new Map();
/** As long as the instructions and tools of a plain thread. */
const INSTRUCTIONS = "Follow the instructions of the user. ".repeat(300);

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const notify = (method, params) => send({ method, params, emittedAtMs: Date.now() });

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "thread/start") send({ id, result: { thread: { id: startThread() } } });
  else if (method === "turn/start") {
    const thread = threads.get(params.threadId);
    const turn = { ...turnOf(randomUUID()), status: "inProgress" };
    const begin = acceptTurn(thread, turn, params.input);
    send({ id, result: { turn } });
    begin();
  } else send({ id, result: {} });
});

function startThread() {
  const id = randomUUID();
  threads.set(id, { id, history: [], path: join(home, `${id}.jsonl`), fd: -1, size: 0, ordinal: 0 });
  return id;
}

function turnOf(id) {
  return {
    id,
    rootTurnId: id,
    items: [],
    itemsView: "notLoaded",
    status: "completed",
    error: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
    hookRuns: [],
  };
}

function append(thread, lines) {
  if (thread.fd < 0) thread.fd = openSync(thread.path, "a");
  else if (statSync(thread.path).size !== thread.size) throw new Error(`${thread.path} was written to`);
  const timestamp = new Date().toISOString();
  const text = lines
    .map(([type, payload]) => `${JSON.stringify({ timestamp, ordinal: thread.ordinal++, type, payload })}\n`)
    .join("");
  thread.size += writeSync(thread.fd, text);
}

function acceptTurn(thread, turn, content) {
  const now = Date.now();
  const ids = { turn_id: turn.id, root_turn_id: turn.id };
  const startedAt = Math.floor(now / 1000);
  const message = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: content[0].text }],
    id: `msg_${randomUUID()}`,
  };
  const submitted = randomUUID();
  const item = { type: "UserMessage", id: randomUUID(), content };
  append(thread, [
    ["event_msg", { type: "task_started", ...ids, started_at: startedAt, model_context_window: 258_400 }],
    ["turn_context", { ...ids, cwd: home, approval_policy: "never", model: "mock", profile: PROFILE }],
    ["world_state", { full: false, state: {}, submitted: { id: submitted, items: [message] } }],
    ["event_msg", completedLine(thread, turn, item, now)],
    ["world_state", { full: false, state: {}, settled: submitted }],
    ["response_item", message],
  ]);
  thread.history.push(message);
  return () => runTurn(thread, { ...turn, startedAt }, { ...item, type: "userMessage", clientId: null });
}

const PROFILE = {
  type: "managed",
  file_system: { type: "restricted", entries: [{ path: { type: "special", value: { kind: "root" } } }] },
  network: "restricted",
  options: "a profile, a policy and a collaboration mode take about as many bytes as this ".repeat(3),
};

function completedLine(thread, turn, item, now) {
  return {
    type: "item_completed",
    thread_id: thread.id,
    turn_id: turn.id,
    item,
    started_at_ms: now,
    completed_at_ms: now,
  };
}

function show(ids, item) {
  const at = Date.now();
  notify("item/started", {
    item: { ...item, startedAtMs: at, completedAtMs: null },
    ...ids,
    startedAtMs: at,
  });
  notify("item/completed", {
    item: { ...item, startedAtMs: at, completedAtMs: at },
    ...ids,
    completedAtMs: at,
  });
}

function runTurn(thread, turn, userItem) {
  const ids = { threadId: thread.id, turnId: turn.id };
  notify("thread/status/changed", { threadId: thread.id, status: { type: "active", activeFlags: [] } });
  notify("turn/started", { threadId: thread.id, turn });
  show(ids, userItem);
  ask(thread, {
    onDelta: (delta) => notify("item/agentMessage/delta", { ...ids, itemId: "item", delta }),
    onEnd: (items) => endTurn(thread, turn, items),
  });
}

function ask(thread, { onDelta, onEnd }) {
  const body = JSON.stringify({
    model: "mock-model",
    instructions: INSTRUCTIONS,
    input: thread.history,
    stream: true,
  });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "thread-id": thread.id,
    "session-id": thread.id,
    accept: "text/event-stream",
  };
  const items = [];
  request(url, { method: "POST", agent, headers }, (response) => {
    let rest = "";
    response.setEncoding("utf8").on("data", (chunk) => {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        const { type, item, delta } = JSON.parse(event.slice(event.indexOf("data: ") + "data: ".length));
        if (type === "response.output_text.delta") onDelta(delta);
        if (type === "response.output_item.done") items.push(item);
      }
    });
    response.on("end", () => onEnd(items));
  }).end(body);
}

const USAGE = { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5, reasoning_output_tokens: 0 };

function endTurn(thread, turn, items) {
  const now = Date.now();
  const ids = { threadId: thread.id, turnId: turn.id };
  const lineIds = { turn_id: turn.id, root_turn_id: turn.id };
  thread.history.push(...items);
  append(thread, [
    ...items.flatMap((item) => [
      ["event_msg", completedLine(thread, turn, item, now)],
      ["response_item", item],
    ]),
    ["token_usage_record", { thread_id: thread.id, ...lineIds, usage: USAGE, total: USAGE, more: PROFILE }],
    ["event_msg", { type: "token_count", info: { total_token_usage: USAGE, last_token_usage: USAGE } }],
    ["event_msg", { type: "task_complete", ...lineIds, completed_at: Math.floor(now / 1000) }],
  ]);
  const shown = items.map(({ id, content }) => ({
    type: "agentMessage",
    id,
    text: content?.[0]?.text ?? "",
  }));
  for (const item of shown) show(ids, item);
  notify("thread/tokenUsage/updated", { ...ids, tokenUsage: { total: USAGE, last: USAGE } });
  notify("account/rateLimits/updated", { rateLimits: { limitId: "codex", primary: null, secondary: null } });
  notify("thread/readState/changed", { threadId: thread.id, readState: { firstUnread: null } });
  notify("thread/status/changed", { threadId: thread.id, status: { type: "idle" } });
  const ended = { ...turn, items: shown, status: "completed", completedAt: Math.floor(now / 1000) };
  notify("turn/completed", { threadId: thread.id, turn: ended });
}

process.on("exit", () => {
  for (const { fd } of threads.values()) if (fd >= 0) closeSync(fd);
});
