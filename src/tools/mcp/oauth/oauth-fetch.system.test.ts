import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { createOAuthFetch, MAX_ANSWER_BYTES } from "./oauth-fetch.ts";

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const tellKey = (request: IncomingMessage, response: ServerResponse) =>
  response.end(String(request.headers["x-key"]));

function create(serverUrl: string, signal?: AbortSignal) {
  const clock = createFakeClock();
  const fetchFn = createOAuthFetch({
    clock,
    timeoutMs: 5000,
    serverUrl,
    headers: { "x-key": "secret" },
    ...(signal && { signal }),
  });
  return { clock, fetchFn };
}

test("the headers of a server go to it and to nobody else", async () => {
  const [own, other] = [await serve(tellKey), await serve(tellKey)];
  const { fetchFn, clock } = create(`${own}/mcp`);
  expect(await (await fetchFn(`${own}/any`)).text()).toBe("secret");
  expect(await (await fetchFn(`${other}/any`)).text()).toBe("undefined");
  expect(clock.waiting).toEqual([]);
});

test("an answer that does not come or does not end is given up", async () => {
  const asked: (() => void)[] = [];
  const silent = await serve((request, response) => {
    if (request.url === "/half") response.write("a");
    asked.shift()?.();
  });
  const { fetchFn, clock } = create(silent);
  for (const path of ["/nothing", "/half"]) {
    const isAsked = new Promise<void>((resolve) => asked.push(resolve));
    const answer = fetchFn(silent + path);
    await isAsked;
    clock.advance(5000);
    await expect(answer).rejects.toThrow(`${silent}: no answer within 5 s`);
  }
});

test("an answer that is far too long is given up", async () => {
  const loud = await serve((_request, response) => response.end("x".repeat(MAX_ANSWER_BYTES + 1)));
  await expect(create(loud).fetchFn(loud)).rejects.toThrow(
    `the answer is longer than ${MAX_ANSWER_BYTES} bytes`,
  );
});

test("an event stream is not waited for", async () => {
  const stream = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: x\n\n");
  });
  const response = await create(stream).fetchFn(stream);
  expect([response.status, await response.text()]).toEqual([200, ""]);
});

test("what nobody waits for any more is not asked", async () => {
  const aborter = new AbortController();
  aborter.abort(new Error("the login has ended"));
  const server = await serve(tellKey);
  await expect(create(server, aborter.signal).fetchFn(server)).rejects.toThrow("the login has ended");
});
