/** The stream of a thread's events as it is mounted in a server: what the conformance suite does not notice. */
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createMemoryLogs,
  MemoryLog,
  offsetOf,
} from "../../src/server/http/durable-stream/memory-log.fixture.ts";
import { ALLOWED_ORIGIN, openStreams, type StreamsOptions } from "./open-streams.ts";

const JSON_TYPE = "application/json";

async function open(options: Omit<StreamsOptions, "logs"> = {}, log = new MemoryLog(JSON_TYPE)) {
  const logs = createMemoryLogs(
    new Map<string, MemoryLog | "starting" | "gone">([
      ["t1", log],
      ["new", "starting"],
      ["old", "gone"],
    ]),
  );
  const streams = await openStreams({ logs, ...options });
  onTestFinished(() => streams.close());
  const path = "/threads/t1/events";
  const ask = (query = "", init: RequestInit = {}) => fetch(`${streams.url}${path}${query}`, init);
  return { ...streams, log, ask, path };
}

const filled = (count: number) =>
  new MemoryLog(
    JSON_TYPE,
    Array.from({ length: count }, (_, index) => Buffer.from(`{"n":${index + 1}}`)),
  );

/** Headers that the protocol names, and those of caches. */
function headersOf({ headers }: Response): Record<string, string> {
  const names = /^(?:stream-|cache-control$|etag$|allow$|retry-after$|access-control-|content-type$)/u;
  return Object.fromEntries([...headers].filter(([name]) => names.test(name)));
}

describe("catch-up", () => {
  test("answers the messages after an offset, with the offset to go on from", async () => {
    const { ask } = await open({}, filled(3));
    const response = await ask(`?offset=${offsetOf(1)}`);
    expect(await response.json()).toEqual([{ n: 2 }, { n: 3 }]);
    expect(headersOf(response)).toEqual({
      "content-type": JSON_TYPE,
      "stream-next-offset": offsetOf(3),
      "stream-up-to-date": "true",
      "cache-control": "private, no-cache",
      etag: expect.any(String) as string,
    });
  });

  test("a page that does not reach the tail may be kept by caches", async () => {
    const { ask } = await open({ limits: { pageBytes: 10 } }, filled(3));
    const response = await ask();
    expect(await response.json()).toEqual([{ n: 1 }]);
    expect(headersOf(response)).toMatchObject({
      "stream-next-offset": offsetOf(1),
      "cache-control": "private, max-age=60, stale-while-revalidate=300",
    });
    expect(response.headers.has("stream-up-to-date")).toBe(false);
  });

  test("a message that is larger than a page is a page", async () => {
    const { ask, log } = await open({ limits: { pageBytes: 10 } });
    const text = "x".repeat(500_000);
    log.append(JSON.stringify(text), '{"n":2}');
    expect(await (await ask()).json()).toEqual([text]);
  });

  test("the version differs once the log is closed", async () => {
    const { ask, log } = await open({}, filled(1));
    const before = (await ask()).headers.get("etag") ?? "";
    expect((await ask("", { headers: { "if-none-match": before } })).status).toBe(304);
    log.close();
    const after = await ask("", { headers: { "if-none-match": before } });
    expect(after.status).toBe(200);
    expect(headersOf(after)).toMatchObject({ "stream-closed": "true" });
    expect(after.headers.get("etag")).not.toBe(before);
  });

  test("HEAD and `now` are not kept by caches", async () => {
    const { ask } = await open({}, filled(2));
    const head = await ask("", { method: "HEAD" });
    expect(headersOf(head)).toEqual({
      "content-type": JSON_TYPE,
      "stream-next-offset": offsetOf(2),
      "cache-control": "no-store",
    });
    const now = await ask("?offset=now");
    expect(await now.json()).toEqual([]);
    expect(headersOf(now)).toEqual({ ...headersOf(head), "stream-up-to-date": "true" });
  });
});

describe("refusals", () => {
  test.each(["", "&live=long-poll", "&live=sse"])("an offset beyond the tail is gone%s", async (live) => {
    const { ask } = await open({}, filled(2));
    expect((await ask(`?offset=${offsetOf(3)}${live}`)).status).toBe(410);
  });

  test("an offset before the messages that are kept is gone", async () => {
    const { ask, log } = await open({}, filled(4));
    log.dropped = 2;
    expect((await ask(`?offset=${offsetOf(1)}`)).status).toBe(410);
    expect(await (await ask(`?offset=${offsetOf(2)}`)).json()).toEqual([{ n: 3 }, { n: 4 }]);
  });

  test.each([
    ["?offset=", "`offset` is empty"],
    ["?offset=1", "`offset` is none of this stream"],
    ["?offset=-1&offset=-1", "there is more than one `offset`"],
    ["?live=sse", "`live` needs an `offset`"],
    ["?offset=-1&live=true", "`live` is `long-poll` or `sse`"],
    ["?offset=-1&live=", "`live` is `long-poll` or `sse`"],
    ["?offset=-1&live=sse&live=sse", "there is more than one `live`"],
  ])("%s is refused in words", async (query, reason) => {
    const { ask } = await open();
    const response = await ask(query);
    expect({ status: response.status, reason: await response.text() }).toEqual({ status: 400, reason });
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test.each([
    ["new", 503, { "retry-after": "1" }],
    ["old", 410, {}],
    ["other", 404, {}],
  ])("the stream %s answers %i", async (id, status, headers) => {
    const { url } = await open();
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(`${url}/threads/${id}/events?offset=-1`, { method });
      expect({ status: response.status, ...headersOf(response) }).toMatchObject({
        ...headers,
        status,
        "cache-control": "no-store",
      });
    }
  });

  test.each(["POST", "PUT", "DELETE"])("%s is no method of a stream", async (method) => {
    const { ask } = await open();
    const response = await ask("", { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  test("a fault of the log is an answer, which pages can read", async () => {
    const { ask, log } = await open();
    log.read = () => Promise.reject(new Error("a secret path"));
    const response = await ask("", { headers: { origin: ALLOWED_ORIGIN } });
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 500,
      text: "the server could not answer: its log says why",
    });
    expect(headersOf(response)).toMatchObject({ "access-control-allow-origin": ALLOWED_ORIGIN });
  });

  test("a fault during a stream cuts it", async () => {
    const { ask, log } = await open();
    const response = await ask("?offset=-1&live=sse");
    await expect.poll(log.subscribers.bind(log)).toBe(2);
    log.read = () => Promise.reject(new Error("a secret path"));
    log.append("1");
    await expect(response.text()).rejects.toThrow("terminated");
    await expect.poll(log.subscribers.bind(log)).toBe(0);
  });

  test("a reader over the limit has to try again", async () => {
    const { ask, log } = await open({ limits: { readers: 1 } });
    const first = new AbortController();
    await ask("?offset=-1&live=sse", { signal: first.signal });
    const refused = await ask();
    expect({ status: refused.status, ...headersOf(refused) }).toMatchObject({
      status: 429,
      "retry-after": "1",
    });
    first.abort();
    await expect.poll(log.subscribers.bind(log)).toBe(0);
    await expect.poll(async () => (await ask()).status).toBe(200);
  });
});

describe("access", () => {
  const judgeUpgrade = (sent: string | undefined) => (sent === "Bearer good" ? null : "missing bearer token");

  test("needs the token that a WebSocket needs", async () => {
    const { ask } = await open({ judgeUpgrade });
    expect((await ask()).status).toBe(401);
    expect((await ask("", { method: "DELETE" })).status).toBe(401);
    expect((await ask("", { headers: { authorization: "Bearer good" } })).status).toBe(200);
  });

  test("is not given to sandboxed commands", async () => {
    const { ask } = await open({ refuseCaller: async () => "sandboxed commands may not call the server" });
    expect((await ask()).status).toBe(403);
    expect((await ask("?offset=-1&live=sse")).status).toBe(403);
  });

  test("a page that is allowed reads answers, refusals and their headers", async () => {
    const { ask } = await open({ judgeUpgrade }, filled(1));
    const headers = { origin: ALLOWED_ORIGIN, authorization: "Bearer good" };
    const readable = {
      "access-control-allow-origin": ALLOWED_ORIGIN,
      "access-control-expose-headers": expect.stringContaining(
        "etag, stream-next-offset, stream-cursor, stream-up-to-date, stream-closed",
      ) as string,
    };
    expect(headersOf(await ask("", { headers }))).toMatchObject(readable);
    const refused = await ask("", { headers: { origin: ALLOWED_ORIGIN } });
    expect({ status: refused.status, ...headersOf(refused) }).toMatchObject({ status: 401, ...readable });
    const preflight = await ask("", { method: "OPTIONS", headers: { origin: ALLOWED_ORIGIN } });
    expect({ status: preflight.status, ...headersOf(preflight) }).toMatchObject({
      status: 204,
      "access-control-allow-origin": ALLOWED_ORIGIN,
      "access-control-allow-headers": "authorization, if-none-match",
    });
  });

  test("no other page reads anything", async () => {
    const { ask } = await open({}, filled(1));
    for (const method of ["GET", "OPTIONS"]) {
      const response = await ask("", { method, headers: { origin: "https://evil.example" } });
      expect(response.status).toBe(403);
      expect(response.headers.has("access-control-allow-origin")).toBe(false);
    }
    expect((await ask()).headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("live", () => {
  test("a long-poll is woken by a message, and not by a tail that moves without one", async () => {
    const { ask, log } = await open({}, filled(1));
    const answered = ask(`?offset=${offsetOf(1)}&live=long-poll`);
    await expect.poll(log.subscribers.bind(log)).toBe(1);
    log.append(null);
    log.append(null, '{"n":2}');
    const response = await answered;
    expect(await response.json()).toEqual([{ n: 2 }]);
    expect(headersOf(response)).toMatchObject({
      "stream-next-offset": offsetOf(4),
      "stream-cursor": expect.stringMatching(/^\d+$/u) as string,
    });
    expect(log.subscribers()).toBe(0);
  });

  test("a reader that goes away is forgotten at once", async () => {
    const { ask, log } = await open();
    for (const live of ["sse", "long-poll"]) {
      const controller = new AbortController();
      const answered = ask(`?offset=-1&live=${live}`, { signal: controller.signal }).catch(() => null);
      await expect.poll(log.subscribers.bind(log)).toBeGreaterThan(0);
      controller.abort();
      await answered;
      await expect.poll(log.subscribers.bind(log)).toBe(0);
    }
  });

  test("a stream may last longer than a request may take to arrive", async () => {
    const handshakeMs = 100;
    const { ask } = await open({
      handshakeMs,
      limits: { keepAliveMs: 4 * handshakeMs, longPollMs: 5 * handshakeMs },
    });
    const polled = ask("?offset=-1&live=long-poll");
    const response = await ask("?offset=-1&live=sse");
    let text = "";
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (text.includes(": keep-alive\n\n: keep-alive\n\n")) break;
    }
    expect((await polled).status).toBe(204);
  });

  test("a server that closes ends streams on the border of a message", async () => {
    const { ask, log, close } = await open({}, filled(1));
    const events = await ask("?offset=-1&live=sse");
    const polled = ask("?offset=now&live=long-poll");
    await expect.poll(log.subscribers.bind(log)).toBe(3);
    await close();
    // A body that is cut would reject.
    const parts = (await events.text()).trimEnd().split("\n\n");
    expect(parts).toEqual(['event: data\ndata:[{"n":1}]', expect.stringMatching(/^event: control\n/u)]);
    expect((await polled).status).toBe(204);
  });

  test("live texts are events of their own, which have no offset", async () => {
    const { ask, log } = await open();
    const response = await ask("?offset=now&live=sse");
    await expect.poll(log.subscribers.bind(log)).toBe(2);
    log.send('{"delta":"a"}');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("delta")) text += (await reader?.read())?.value ?? "";
    log.close();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      text += part.value;
    const names = [...text.matchAll(/^event: (\w+)$/gmu)].map(([, name]) => name);
    expect(names).toEqual(["control", "live", "control"]);
    expect(text).toContain('event: live\ndata:{"delta":"a"}\n\n');
  });

  test("a reader that does not read is disconnected, and the log is not read ahead of it", async () => {
    const large = JSON.stringify("x".repeat(1_000_000));
    const log = new MemoryLog(
      JSON_TYPE,
      Array.from({ length: 100 }, () => Buffer.from(large)),
    );
    const { port, path } = await open({ stallMs: 200 }, log);
    let reads = 0;
    const read = log.read.bind(log);
    log.read = (...args) => {
      reads += 1;
      return read(...args);
    };
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(`GET ${path}?offset=-1&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await expect.poll(log.subscribers.bind(log)).toBe(2);
    await expect.poll(log.subscribers.bind(log), { timeout: 10_000 }).toBe(0);
    // The buffers of the system hold some.
    expect(reads).toBeLessThan(30);
    const closed = once(socket, "close");
    socket.on("error", () => {});
    socket.resume();
    await closed;
  });
});
