/** A server with queues, schedules, hooks, rules, decisions, usage, a webhook and a paired device. */
import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { RpcClient } from "../support/rpc-client.ts";
import { askAbout, type Night, openNight, playThread } from "./night.ts";

export interface FactsStage extends Night {
  readonly client: RpcClient;
  /** The thread whose turn asks, and whose queue waits for that. */
  readonly asking: string;
  /** A thread whose queue is paused. */
  readonly paused: string;
  /** What the webhook was sent. */
  readonly sent: readonly string[];
  readonly scheduleId: string;
}

export const GUARD = `#!/bin/sh
# Refuses pushes with force.
grep -q -- --force && { echo "Force pushes need a person." >&2; exit 2; }
exit 0
`;

const config = (webhook: string) => `
[prices.mock-model]
input = 1.25
output = 10

[[webhooks]]
url = "${webhook}"
secret = "whsec_${Buffer.alloc(32, 7).toString("base64")}"
allow_private = true
`;

export async function openFactsStage(): Promise<FactsStage> {
  const receiver = await openReceiver();
  const night = await openNight(config(receiver.url));
  await writeFiles(night);
  const client = await night.connect();
  const paused = await playThread(
    night,
    client,
    "The fallback should share one retry budget across providers.",
  );
  const asking = await askAbout(night, client, "npm publish --access public --tag next");
  const queue = (threadId: string, text: string, more: object = {}) =>
    client.result("thread/queue/add", {
      threadId,
      clientUserMessageId: text,
      input: [{ type: "text", text }],
      ...more,
    });
  await client.result("thread/queue/pause", { threadId: paused, reason: "wait for the release window" });
  await queue(paused, "Tag and push");
  await queue(paused, "Announce it in the channel of the releases");
  await queue(asking, "Then run the whole suite and update CHANGELOG.md");
  await queue(asking, "Tidy up the feature flags", { notBefore: Math.floor(Date.now() / 1000) + 7200 });
  const broken = await queueBroken(client);
  await queue(broken, "Open a pull request if anything changed");
  const { schedule } = (await client.result("schedule/create", {
    name: "nightly",
    schedule: { type: "cron", expression: "30 2 * * 1-5", timeZone: "Europe/Berlin" },
    target: { type: "thread", threadId: paused },
    input: [{ type: "text", text: "Update the lock file and run the suite" }],
  })) as { schedule: { id: string } };
  await client.result("schedule/create", {
    name: "triage",
    schedule: { type: "cron", expression: "0 * * * *", timeZone: "UTC" },
    target: { type: "newThread", threadStartParams: { cwd: night.home.workspace } },
    input: [{ type: "text", text: "Sort the new issues" }],
    paused: true,
  });
  await pairPhone(night, client);
  return {
    ...night,
    client,
    asking,
    paused,
    sent: receiver.sent,
    scheduleId: schedule.id,
    async close() {
      await night.close();
      await receiver.close();
    },
  };
}

/** A thread whose queue is blocked, because its first turn names a profile that does not exist. */
async function queueBroken(client: RpcClient): Promise<string> {
  const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
  const threadId = thread.id;
  await client.result("thread/name/set", { threadId, name: "Nightly dependency bumps" });
  const input = [{ type: "text", text: "Update the lock file" }];
  await client.result("thread/queue/add", {
    threadId,
    turnStartParams: { threadId, input, permissions: "no-such-profile" },
  });
  return threadId;
}

async function writeFiles({ home }: Night): Promise<void> {
  await home.write("home/hooks/guard.sh", GUARD);
  const guard = join(home.home, "hooks", "guard.sh");
  chmodSync(guard, 0o755);
  const hooks = {
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: guard, timeout: 10 }] }],
    Stop: [{ hooks: [{ type: "command", command: "exit 0", statusMessage: "Tells the desk" }] }],
  };
  await home.write("home/hooks.json", JSON.stringify({ hooks }));
  await home.write(
    "home/rules/release.rules",
    'prefix_rule(pattern=["npm", "publish"], decision="prompt", justification="A release is public")\nprefix_rule(pattern=["git", ["status", "diff"]])\n',
  );
}

async function openReceiver() {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      sent.push(body);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    sent,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function pairPhone({ url }: Night, client: RpcClient): Promise<void> {
  const { code } = (await client.result("device/pair", {
    name: "pixel-9",
    subject: "a teammate",
    scopes: ["read", "answer"],
  })) as { code: string };
  const response = await fetch(`${url}/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ ticket: code }),
  });
  if (!response.ok) throw new Error(`the device was not paired: ${await response.text()}`);
}
