// The least that a server in Node can do: it passes what a client says to the model, and the answer back, with no
// history on disk, no checks and no approvals. What it reaches is the room there is on this machine.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";

const config = readFileSync(join(process.env["CODEX_HOME"] ?? "", "config.toml"), "utf8");
const url = `${/base_url = "([^"]+)"/u.exec(config)?.[1]}/responses`;
const agent = new Agent({ keepAlive: true });
const threads = new Map();
let ids = 0;

const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "thread/start") {
    const thread = { id: `thread-${(ids += 1)}` };
    threads.set(thread.id, []);
    tell({ id, result: { thread } });
  } else if (method === "turn/start") {
    const turn = { id: `turn-${(ids += 1)}`, items: [], status: "inProgress" };
    tell({ id, result: { turn } });
    runTurn(params.threadId, turn, params.input);
  } else tell({ id, result: {} });
});

function runTurn(threadId, turn, content) {
  const history = threads.get(threadId);
  const notify = (method, rest) =>
    tell({ method, params: { threadId, turnId: turn.id, ...rest }, emittedAtMs: Date.now() });
  const show = (item) => {
    notify("item/started", { item });
    notify("item/completed", { item });
  };
  notify("thread/status/changed", { status: { type: "active" } });
  notify("turn/started", { turn });
  show({ type: "userMessage", content });
  history.push({ type: "message", role: "user", content });

  const body = JSON.stringify({ model: "mock-model", input: history, stream: true });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  request(url, { method: "POST", agent, headers }, (response) => {
    let rest = "";
    response.setEncoding("utf8").on("data", (chunk) => {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        const { type, item, delta } = JSON.parse(event.slice(event.indexOf("data: ") + "data: ".length));
        if (type === "response.output_text.delta")
          notify("item/agentMessage/delta", { itemId: "item", delta });
        if (type !== "response.output_item.done") continue;
        history.push(item);
        show(item);
      }
    });
    response.on("end", () => {
      notify("thread/tokenUsage/updated", {});
      notify("thread/status/changed", { status: { type: "idle" } });
      notify("turn/completed", { turn });
    });
  }).end(body);
}
