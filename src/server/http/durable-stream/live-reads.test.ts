/** Long-polls and SSE in time that the tests control. */

import { describe, expect, test } from "vitest";
import { createFakeClock, type FakeClock } from "../../../base/fake-clock.fixture.ts";
import { ALL_SCOPES } from "../../../protocol/access/scopes.ts";
import type { HttpAnswer, RouteRequest } from "../../../transport/http-routes.ts";
import type { TokenHolder } from "../../../transport/token-holder.ts";
import { createDurableStream } from "./durable-stream.ts";
import { createMemoryLogs, MemoryLog, offsetOf } from "./memory-log.fixture.ts";
import { defaultStreamLimits, type StreamLimits } from "./stream-limits.ts";

const START_MS = Date.UTC(2026, 0, 1);

interface ReadOptions {
  readonly limits?: Partial<StreamLimits>;
  readonly holder?: TokenHolder;
}

function openLog(...messages: readonly (string | null)[]) {
  const clock = createFakeClock(START_MS);
  const log = new MemoryLog("application/json");
  log.append(...messages);
  const logs = createMemoryLogs(new Map([["t1", log]]));
  const controller = new AbortController();
  function ask(query: string, { limits, holder }: ReadOptions = {}): Promise<HttpAnswer> {
    const options = { logs, clock, random: () => 0.5, limits: { ...defaultStreamLimits, ...limits } };
    const request = { method: "GET", query, headers: {}, signal: controller.signal };
    return createDurableStream(options)(request as RouteRequest, "t1", holder ?? null);
  }
  return { log, clock, controller, ask };
}

/** Appends a message when the first page was read, before anything can subscribe to the log. */
function appendAfterFirstRead(log: MemoryLog, message: string): void {
  const read = log.read.bind(log);
  log.read = async (...args) => {
    log.read = read;
    const page = await read(...args);
    log.append(message);
    return page;
  };
}

/** Takes the parts of an answer one by one. */
async function follow(answer: Promise<HttpAnswer>, clock: FakeClock) {
  const { body } = await answer;
  const parts = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
  const next = async (): Promise<string | null> => {
    const { done, value } = await parts.next();
    return done === true ? null : value;
  };
  return {
    next,
    /** The next part, which comes once this time has passed. */
    async after(ms: number): Promise<string | null> {
      const part = next();
      await clock.timer(ms);
      clock.advance(ms);
      return part;
    },
  };
}

const control = (index: number) =>
  expect.stringMatching(`event: control\ndata:{"streamNextOffset":"${offsetOf(index)}"`) as string;

describe("a long-poll", () => {
  test("answers without a body when its time is over, with the tail", async () => {
    const { log, clock, ask } = openLog("1");
    const answered = ask(`offset=${offsetOf(1)}&live=long-poll`);
    await clock.timer(30_000);
    log.append(null);
    clock.advance(30_000);
    expect(await answered).toEqual({
      status: 204,
      headers: {
        "stream-next-offset": offsetOf(2),
        "stream-up-to-date": "true",
        "stream-cursor": expect.any(String) as string,
        "cache-control": "no-store",
      },
      body: null,
    });
    expect([log.subscribers(), clock.waiting]).toEqual([0, []]);
  });

  test("does not wait longer for many tails that move", async () => {
    const { log, clock, ask } = openLog();
    const answered = ask("offset=now&live=long-poll");
    await clock.timer(30_000);
    clock.advance(20_000);
    log.append(null);
    await clock.timer(10_000);
    clock.advance(10_000);
    expect(await answered).toMatchObject({ status: 204, headers: { "stream-next-offset": offsetOf(1) } });
  });

  test("misses no message that comes before it waits", async () => {
    const { log, ask } = openLog("1");
    appendAfterFirstRead(log, "2");
    const { status, body } = await ask(`offset=${offsetOf(1)}&live=long-poll`);
    expect([status, body]).toEqual([200, Buffer.from("[2]")]);
  });

  test("of a closed log answers at once", async () => {
    const { log, ask } = openLog("1");
    log.close();
    const { status, headers } = await ask(`offset=${offsetOf(1)}&live=long-poll`);
    expect({ status, headers }).toEqual({
      status: 204,
      headers: {
        "stream-next-offset": offsetOf(1),
        "stream-up-to-date": "true",
        "stream-closed": "true",
        "cache-control": "no-store",
      },
    });
  });

  test("says that the log is gone, if that happens while it waits", async () => {
    const { log, clock, ask } = openLog("1");
    const answered = ask(`offset=${offsetOf(1)}&live=long-poll`);
    await clock.timer(30_000);
    log.dropped = 5;
    log.append("2");
    expect(await answered).toMatchObject({ status: 410 });
  });
});

describe("SSE", () => {
  test("sends a page and where it ends in one part", async () => {
    const { log, clock, ask } = openLog('{"n":1}', '{"n":2}');
    const { next } = await follow(ask("offset=-1&live=sse"), clock);
    expect(await next()).toMatch(
      new RegExp(
        `^event: data\ndata:\\[\\{"n":1\\},\\{"n":2\\}\\]\n\nevent: control\ndata:\\{"streamNextOffset":"${offsetOf(2)}","streamCursor":"\\d+","upToDate":true\\}\n\n$`,
        "u",
      ),
    );
    const waiting = next();
    log.append('{"n":3}');
    expect(await waiting).toMatch(/^event: data\ndata:\[\{"n":3\}\]\n\nevent: control\n/u);
    log.close();
    expect(await next()).toBe(
      `event: control\ndata:{"streamNextOffset":"${offsetOf(3)}","upToDate":true,"streamClosed":true}\n\n`,
    );
    expect(await next()).toBeNull();
    expect([log.subscribers(), clock.waiting]).toEqual([0, []]);
  });

  test("misses no message that comes before it subscribes", async () => {
    const { log, clock, ask } = openLog("1");
    appendAfterFirstRead(log, "2");
    const { next } = await follow(ask("offset=-1&live=sse"), clock);
    expect([await next(), await next()]).toEqual([control(1), control(2)]);
  });

  test("goes through a long log page by page", async () => {
    const { ask, clock } = openLog("1", "2", "3");
    const { next } = await follow(ask("offset=-1&live=sse", { limits: { pageBytes: 1 } }), clock);
    const parts = [await next(), await next(), await next()];
    expect(parts).toEqual([control(1), control(2), control(3)]);
    expect(parts.map((part) => part?.includes("upToDate"))).toEqual([false, false, true]);
  });

  test("sends comments while nothing happens, and ends after a minute with the tail", async () => {
    const { log, clock, ask } = openLog("1");
    const { next, after } = await follow(ask("offset=now&live=sse"), clock);
    expect(await next()).toEqual(control(1));
    expect(await after(15_000)).toBe(": keep-alive\n\n");
    log.append(null);
    expect(await after(15_000)).toBe(": keep-alive\n\n");
    expect(await after(15_000)).toBe(": keep-alive\n\n");
    expect(await after(15_000)).toEqual(control(2));
    expect(await next()).toBeNull();
    expect(log.subscribers()).toBe(0);
  });

  test("ends when the token of its reader expires", async () => {
    const { clock, ask } = openLog("1");
    const holder = { subject: "ana", scopes: ALL_SCOPES, expiresAtMs: START_MS + 4000 };
    const { next, after } = await follow(ask("offset=now&live=sse", { holder }), clock);
    expect(await next()).toEqual(control(1));
    expect(await after(4000)).toBeNull();
  });

  test("ends at once when its reader has gone", async () => {
    const { log, clock, ask, controller } = openLog("1");
    const { next } = await follow(ask("offset=now&live=sse"), clock);
    await next();
    const waiting = next();
    await clock.timer(15_000);
    controller.abort();
    expect(await waiting).toBeNull();
    expect([log.subscribers(), clock.waiting]).toEqual([0, []]);
  });

  test("drops live texts over the limit, and no message", async () => {
    const { log, clock, ask } = openLog("1");
    const { next } = await follow(ask("offset=now&live=sse", { limits: { liveBytes: 60 } }), clock);
    await next();
    const first = next();
    log.send("a");
    expect(await first).toBe("event: live\ndata:a\n\n");
    log.send("b");
    log.send("c".repeat(60));
    log.append("2");
    log.send("d");
    expect(await next()).toMatch(
      /^event: live\ndata:b\n\nevent: live\ndata:d\n\nevent: data\ndata:\[2\]\n\n/u,
    );
  });

  test("sends the lines of a text as fields, and keeps their leading spaces", async () => {
    const { log, clock, ask } = openLog();
    const { next } = await follow(ask("offset=now&live=sse"), clock);
    await next();
    log.send(" a\nevent: data\r\n\rb");
    expect(await next()).toBe("event: live\ndata:  a\ndata:event: data\ndata:\ndata:b\n\n");
  });
});
