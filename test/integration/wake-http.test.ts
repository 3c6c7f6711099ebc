/** `POST /wake/<token>` on `heddle serve`. */
import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/client/index.ts";
import { MAX_WAKE_BODY } from "../../src/runtime/wake/wake-limits.ts";
import { serve, TOKEN } from "../support/serve.ts";

const REQUESTS = 100;

/** Posts over connections of their own, and returns the status of each response. */
async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on("error", reject);
    call.end(body);
  });
}

test("a hundred posts with one key are one turn, and need no other token", async () => {
  const { port } = await serve();
  const client = await connect(`ws://127.0.0.1:${port}`, {
    token: TOKEN,
    capabilities: { experimentalApi: true },
  });
  onTestFinished(() => client.close());
  const { id: threadId } = await client.startThread();
  await client.runTurn({ threadId, input: "first" });
  const { path } = await client.request("thread/wakeToken/create", { threadId, name: "ci" });
  const url = `http://127.0.0.1:${port}${path}`;
  const ended = new Promise<void>((resolve) => void client.on("turn/completed", () => resolve()));
  const statuses = await Promise.all(
    Array.from({ length: REQUESTS }, () => post(url, "the build is red", { "idempotency-key": "build-7" })),
  );
  // The rate limit answers those beyond it.
  expect(new Set(statuses)).toEqual(new Set([202, 429]));
  await ended;
  const { data } = await client.request("thread/turns/list", { threadId });
  expect(data).toHaveLength(2);
  expect(await post(`${url}x`, "text")).toBe(404);
  expect(await post(url, "x".repeat(MAX_WAKE_BODY + 1))).toBe(413);
  expect((await fetch(url)).status).toBe(405);
});
