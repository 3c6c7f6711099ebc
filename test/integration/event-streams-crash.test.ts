/**
 * Connections are cut after random numbers of bytes and servers are killed at random moments, while turns run. A client
 * of the SDK, and one that speaks the protocol itself, receive each durable event exactly once and in order.
 */
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { connect, type DurableThreadEvent } from "../../src/client/index.ts";
import type { ThreadEventsListResponse } from "../../src/protocol/index.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply, streamedReply } from "../support/model-events.ts";
import { createRandom, type Random } from "../support/random.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const ROUNDS = 12;
const SEED = Number(process.env["SEED"] ?? 20261119) || 20261119;

/** Forwards to the current server, and cuts each connection after a random number of its bytes. */

async function openCuttingRelay(random: Random, target: () => RunningServer) {
  let isCalm = false;
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const [host = "", port = ""] = (target().address ?? "").split(":");
    const far = createConnection(Number(port), host);
    let left = isCalm ? Infinity : 2_000 + random.below(40_000);
    const drop = () => {
      near.destroy();
      far.destroy();
      sockets.delete(near);
    };
    sockets.add(near);
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => {
      near.write(bytes.subarray(0, Math.min(bytes.length, left)));
      left -= bytes.length;
      if (left <= 0) drop();
    });
    for (const socket of [near, far]) socket.on("error", drop).on("close", drop);
  });
  onTestFinished(() => void relay.close());
  await once(relay.listen(0, "127.0.0.1"), "listening");
  return {
    url: `ws://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    calm() {
      isCalm = true;
    },
  };
}

test("each durable event arrives exactly once, whatever is cut or killed", { timeout: 120_000 }, async () => {
  const random = createRandom(SEED);
  const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
  const replies = Array.from({ length: 400 }, (_, index) =>
    index % 3 === 0
      ? reply(`c${index}`, functionCallDone(`call_${index}`, "exec_command", { cmd: "echo hi" }))
      : index % 3 === 1
        ? messageReply(`Done ${index}`, { id: `m${index}` })
        : streamedReply(words, `s${index}`),
  );
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const home = await createTempHome({ config: modelConfig(model.url) });
  onTestFinished(() => home.remove());
  const start = () => startServer({ transport: "ws", home });
  let server = await start();
  onTestFinished(async () => void (await server.stop()));
  const relay = await openCuttingRelay(random, () => server);

  const options = {
    capabilities: { experimentalApi: true },
    reconnect: { firstDelayMs: 5, forMs: 60_000 },
    onWarning() {},
  } as const;
  const driver = await connect(() => `ws://${server.address}`, options);
  onTestFinished(() => driver.close());
  const thread = await driver.startThread({ sandbox: "danger-full-access", approvalPolicy: "never" });
  await thread.run("first");

  const follower = await connect(relay.url, options);
  onTestFinished(() => follower.close());
  const followed = await follower.resumeThread(thread.id);
  const received: DurableThreadEvent[] = [];
  const stop = new AbortController();
  const following = (async () => {
    for await (const event of followed.events({ signal: stop.signal })) received.push(event);
  })();

  for (let round = 0; round < ROUNDS; round += 1) {
    const turn = thread.run(`round ${round}`).catch(() => null);
    if (random.chance(0.5)) {
      await new Promise((resolve) => setTimeout(resolve, random.below(60)));
      await server.stop();
      server = await start();
    }
    await turn;
  }
  relay.calm();
  await thread.run("last");
  const stored = await readAll(thread.id);
  await expect.poll(() => received.at(-1)?.seq, { timeout: 30_000 }).toBe(stored.at(-1)?.seq);
  stop.abort();
  await following;
  expect(received.map(({ seq }) => seq)).toEqual(stored.map(({ seq }) => seq));
  expect(received.map(({ method, params }) => ({ method, params }))).toEqual(
    stored.map(({ method, params, seq }) => ({ method, params: { ...params, seq } })),
  );

  async function readAll(threadId: string) {
    const all = [];
    for (let afterSeq: string | null = null, isComplete = false; !isComplete; ) {
      const page: ThreadEventsListResponse = await driver.request("thread/events/list", {
        threadId,
        afterSeq,
        limit: 7,
      });
      all.push(...page.data);
      ({ nextSeq: afterSeq, isComplete } = page);
    }
    return all;
  }
});
