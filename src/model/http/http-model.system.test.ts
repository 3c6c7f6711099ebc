import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, describe, expect, test } from "vitest";
import { createFakeClock, type FakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import { collect, collectBody, PLAIN_REQUEST } from "../fixtures/collect.ts";
import {
  begins,
  type LoopbackProvider,
  openLoopbackProvider,
  type ProviderHandler,
  refuses,
  sends,
} from "../fixtures/loopback-provider.ts";
import { answer, CREATED, sse, textDelta } from "../fixtures/response-events.ts";
import type { Model, ModelEvent } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { responsesWire } from "../responses/responses-wire.ts";
import { HEAD_TIMEOUT_MS } from "./http-client.ts";
import { createHttpModel } from "./http-model.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Stage {
  readonly provider: LoopbackProvider;
  readonly model: Model;
  readonly clock: FakeClock;
}

async function stage(
  handlers: ProviderHandler | readonly ProviderHandler[],
  own: Partial<ProviderSettings> = {},
): Promise<Stage> {
  const provider = await openLoopbackProvider(...[handlers].flat());
  const clock = createFakeClock();
  const model = modelOf(provider.settings(own), clock);
  cleanups.push(() => provider.close());
  return { provider, model, clock };
}

function modelOf(settings: ProviderSettings, clock: FakeClock): Model {
  const deps = { clock, env: { PATH: process.env["PATH"] }, random: () => 0.5, log: silentLogger };
  const model = createHttpModel(settings, responsesWire, deps);
  cleanups.push(() => model.close());
  return model;
}

/** Skips each delay, and reads to the end. */
async function collectThrough({ model, clock }: Stage, waits: readonly number[]): Promise<ModelEvent[]> {
  const events = collect(model);
  for (const ms of waits) {
    await clock.timer(ms);
    clock.advance(ms);
  }
  return events;
}

const lost = (socket: Socket): void => void socket.destroy();
const hangUp: ProviderHandler = (_response, socket) => lost(socket);
const GREETING = answer("hi");

function retries(events: readonly ModelEvent[]) {
  return events.flatMap((event) => (event.type === "retrying" ? [event] : []));
}

describe("a connection", () => {
  test("is reused for consecutive requests", async () => {
    const { model, provider } = await stage(sends(...GREETING));
    for (let round = 0; round < 5; round++) {
      expect((await collect(model)).at(-1)?.type).toBe("completed");
      await new Promise(setImmediate);
    }
    expect(provider.connections).toBe(1);
  });

  test("is reused when the consumer stops at the last event", async () => {
    const { model, provider } = await stage(sends(...GREETING));
    for (let round = 0; round < 5; round++) {
      for await (const batch of model.stream(PLAIN_REQUEST, new AbortController().signal)) {
        if (batch.some(({ type }) => type === "completed")) break;
      }
      await new Promise(setImmediate);
    }
    expect(provider.connections).toBe(1);
  });

  test("is replaced silently when the server closes it while idle", async () => {
    const sockets = new Set<Socket>();
    const second: ProviderHandler = (response, socket) => {
      if (sockets.has(socket)) lost(socket);
      else sends(...GREETING)(response, socket);
    };
    const first: ProviderHandler = (response, socket) => {
      sockets.add(socket);
      sends(...GREETING)(response, socket);
    };
    const { model, provider } = await stage([first, second]);
    await collect(model);
    await new Promise(setImmediate);
    const events = await collect(model);
    expect(events.map(({ type }) => type)).toContain("completed");
    expect(retries(events)).toEqual([]);
    expect([provider.connections, provider.requests.length]).toEqual([2, 3]);
  });

  test("is closed immediately when the response is aborted", async () => {
    const closed = createDeferred<void>();
    const { model } = await stage((response, socket) => {
      socket.on("close", () => closed.resolve());
      begins(CREATED, textDelta("hi"))(response, socket);
    });
    const controller = new AbortController();
    for await (const _ of model.stream(PLAIN_REQUEST, controller.signal)) controller.abort();
    await closed.promise;
  });

  test("is closed immediately when aborted before the response starts", async () => {
    const arrived = createDeferred<Socket>();
    const { model } = await stage((_response, socket) => arrived.resolve(socket));
    const controller = new AbortController();
    const events = collect(model, PLAIN_REQUEST, controller.signal);
    const closed = once(await arrived.promise, "close");
    controller.abort();
    await closed;
    expect(await events).toEqual([]);
  });

  test("is closed when the consumer stops iterating", async () => {
    const closed = createDeferred<void>();
    const { model } = await stage((response, socket) => {
      socket.on("close", () => closed.resolve());
      begins(CREATED, textDelta("hi"))(response, socket);
    });
    for await (const _ of model.stream(PLAIN_REQUEST, new AbortController().signal)) break;
    await closed.promise;
  });

  test("is closed when the provider leaves it open after a finished response", async () => {
    const closed = createDeferred<void>();
    const { model, clock } = await stage((response, socket) => {
      socket.on("close", () => closed.resolve());
      begins(...GREETING)(response, socket);
    });
    expect((await collect(model)).at(-1)?.type).toBe("completed");
    clock.advance(1_000);
    await closed.promise;
  });

  test("applies backpressure from the consumer", async () => {
    const line = sse(textDelta("x".repeat(1000)));
    const total = 64 * 1024 * 1024;
    const sockets: Socket[] = [];
    const { model } = await stage((response, socket) => {
      sockets.push(socket);
      response.writeHead(200).end(line.repeat(Math.ceil(total / line.length)));
    });
    const stream = model.stream(PLAIN_REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
    await stream.next();
    const taken = () => sockets[0]?.bytesWritten ?? 0;
    for (let before = -1; before !== taken(); ) {
      before = taken();
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    }
    expect(sockets[0]?.writableLength).toBeGreaterThan(total / 2);
    await stream.return?.();
  });
});

describe("a request", () => {
  test("has the provider's headers, token and query", async () => {
    const { model, provider } = await stage(sends(...GREETING), {
      bearerToken: "secret",
      headers: { "X-Extra": "1", "User-Agent": "mine", "X-Bad": "line\nbreak" },
      queryParams: { "api-version": "1", q: "b c" },
    });
    await collect(model, {
      ...PLAIN_REQUEST,
      headers: { originator: "me", "user-agent": "engine", "x-é": "no" },
    });
    const { url, headers } = provider.requests[0] ?? {};
    expect(url).toBe("/v1/responses?api-version=1&q=b%20c");
    expect(headers).toEqual({
      accept: "text/event-stream",
      authorization: "Bearer secret",
      connection: "keep-alive",
      "content-length": expect.any(String) as string,
      "content-type": "application/json",
      host: `127.0.0.1:${provider.port}`,
      originator: "me",
      "user-agent": "mine",
      "x-extra": "1",
    });
  });

  test("has the token of a command, and refreshes a rejected one", async () => {
    const args = ["-c", "echo x >> runs; echo token-$(wc -l < runs)"];
    const cwd = await mkdtemp(join(tmpdir(), "heddle-token-"));
    cleanups.push(() => rm(cwd, { recursive: true }));
    const { model, provider } = await stage(
      [refuses(401, "old"), sends(...GREETING), refuses(401, "no"), refuses(401, "no")],
      { tokenCommand: { command: "sh", args, timeoutMs: 5000, refreshIntervalMs: 0, cwd } },
    );
    expect((await collect(model)).at(-1)?.type).toBe("completed");
    expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-2",
    ]);
    expect((await collect(model)).at(-1)).toMatchObject({
      type: "failed",
      error: { message: expect.stringContaining("401 Unauthorized") as string },
    });
    expect(provider.requests.length).toBe(4);
  });

  test("fails with the reason if the command prints no token", async () => {
    const tokenCommand = { command: "false", args: [], timeoutMs: 5000, refreshIntervalMs: 0, cwd: null };
    const { model, provider } = await stage(sends(...GREETING), { tokenCommand });
    expect((await collect(model)).at(-1)).toMatchObject({
      type: "failed",
      error: {
        message: expect.stringContaining("`false`, which prints the token for the provider, ended with"),
      },
    });
    expect(provider.requests).toEqual([]);
  });

  test("has the login of its URL, and a configured host header", async () => {
    const { provider } = await stage(sends(...GREETING));
    const baseUrl = `http://me:p%C3%A9@127.0.0.1:${provider.port}/v1`;
    const settings = provider.settings({ baseUrl, headers: { Host: "inner.example" } });
    await collect(modelOf(settings, createFakeClock()));
    expect(provider.requests[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("me:pé").toString("base64")}`,
      host: "inner.example",
    });
  });

  test("fails without a connection if the settings are invalid", async () => {
    const message = "Missing environment variable: `KEY`.";
    const { model, provider } = await stage(sends(...GREETING), { fault: message });
    expect(await collect(model)).toEqual([
      {
        type: "failed",
        error: { message, codexErrorInfo: "other", additionalDetails: null, misalignment: null },
      },
    ]);
    expect(provider.requests).toEqual([]);
  });

  test("fails if the base URL is invalid", async () => {
    const clock = createFakeClock();
    const { provider } = await stage(sends(...GREETING));
    for (const baseUrl of ["nowhere", "ftp://127.0.0.1/v1", ""]) {
      const events = await collect(modelOf(provider.settings({ baseUrl }), clock));
      expect(events.map(({ type }) => type)).toEqual(["failed"]);
    }
  });

  test("emits events for the response headers", async () => {
    const { model } = await stage((response) =>
      response
        .writeHead(200, {
          "x-codex-turn-state": "ts1",
          "openai-model": "other",
          "x-codex-primary-used-percent": "7",
        })
        .end(sse(...GREETING)),
    );
    const events = await collect(model);
    expect(events.slice(0, 3)).toMatchObject([
      { type: "accepted", turnState: "ts1", rateLimits: [{ limitId: "codex", primary: { usedPercent: 7 } }] },
      { type: "serverModel", model: "other" },
      { type: "created" },
    ]);
  });
});

describe("a resend", () => {
  test("follows a server error and a lost connection, with backoff and without events", async () => {
    const own = { requestMaxRetries: 3 };
    const all = await stage([hangUp, refuses(502, ""), refuses(500, ""), sends(...GREETING)], own);
    const events = await collectThrough(all, [200, 400, 800]);
    expect(events.at(-1)?.type).toBe("completed");
    expect(retries(events)).toEqual([]);
  });

  test("honors the retry-after header", async () => {
    const own = { requestMaxRetries: 1 };
    const all = await stage([refuses(503, "", { "retry-after": "7" }), sends(...GREETING)], own);
    expect((await collectThrough(all, [7_000])).at(-1)?.type).toBe("completed");
  });

  test("does not follow a client error", async () => {
    const { model, provider } = await stage(refuses(400, "no"), {
      requestMaxRetries: 3,
      streamMaxRetries: 3,
    });
    expect((await collect(model)).map(({ type }) => type)).toEqual(["failed"]);
    expect(provider.requests).toHaveLength(1);
  });
});

describe("a stream retry", () => {
  test("is announced, doubles its delay, and ends with the cause", async () => {
    const all = await stage(sends(CREATED, textDelta("half")), { streamMaxRetries: 2 });
    const events = await collectThrough(all, [200, 400]);
    const cause = "stream disconnected before completion: stream closed before response.completed";
    const error = (message: string) => ({
      message,
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
      additionalDetails: cause,
      misalignment: null,
    });
    expect(events.filter(({ type }) => type === "retrying" || type === "failed")).toEqual([
      { type: "retrying", attempt: 1, max: 2, delayMs: 200, error: error("Reconnecting... 1/2") },
      { type: "retrying", attempt: 2, max: 2, delayMs: 400, error: error("Reconnecting... 2/2") },
      {
        type: "failed",
        error: { message: cause, codexErrorInfo: "other", additionalDetails: null, misalignment: null },
      },
    ]);
  });

  test("contains the status of the failed response", async () => {
    const own = { streamMaxRetries: 1, isOpenai: true };
    const all = await stage([refuses(401, "nope"), sends(...GREETING)], own);
    const [retry] = retries(await collectThrough(all, [200]));
    expect(retry?.error).toEqual({
      message: "Reconnecting... 1/1",
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 401 } },
      additionalDetails: `unexpected status 401 Unauthorized: nope, url: http://127.0.0.1:${all.provider.port}/v1/responses`,
      misalignment: null,
    });
  });

  test("waits for the delay of a rate limit", async () => {
    const error = { code: "rate_limit_exceeded", message: "Rate limit reached. Please try again in 1.5s." };
    const limited = sends(CREATED, { type: "response.failed", response: { error } });
    const all = await stage([limited, sends(...GREETING)], { streamMaxRetries: 1 });
    const events = await collectThrough(all, [1_500]);
    expect(retries(events)[0]?.error.additionalDetails).toBe(`rate limit exceeded: ${error.message}`);
    expect(events.at(-1)?.type).toBe("completed");
  });

  test("follows a 429 status only with a retry-after header", async () => {
    const own = { streamMaxRetries: 3, requestMaxRetries: 3 };
    const said = await stage([refuses(429, "", { "retry-after": "2" }), sends(...GREETING)], own);
    expect((await collectThrough(said, [2_000])).at(-1)?.type).toBe("completed");
    const unsaid = await stage(refuses(429, ""), own);
    expect((await collect(unsaid.model)).map(({ type }) => type)).toEqual(["failed"]);
  });

  test("continues without limit while the provider is unreachable, if configured", async () => {
    const { provider } = await stage(sends(...GREETING));
    const settings = provider.settings({ waitsForNetwork: true });
    await provider.close();
    const clock = createFakeClock();
    const model = modelOf(settings, clock);
    const controller = new AbortController();
    const seen: ModelEvent[] = [];
    for await (const batch of model.stream(PLAIN_REQUEST, controller.signal)) {
      seen.push(...batch);
      const [event] = retries(batch);
      if (seen.length === 6) controller.abort();
      else void clock.timer(event?.delayMs ?? 0).then(() => clock.advance(event?.delayMs ?? 0));
    }
    expect(retries(seen).map(({ delayMs, max }) => [delayMs, max])).toEqual(
      [5_000, 10_000, 20_000, 40_000, 60_000, 60_000].map((delayMs) => [delayMs, null]),
    );
    expect(retries(seen)[0]?.error).toEqual({
      message: "Reconnecting... waiting for network",
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
      additionalDetails: expect.stringMatching(
        /^Connection failed: error sending request: connect ECONNREFUSED 127\.0\.0\.1:\d+$/u,
      ),
      misalignment: null,
    });
  });

  test("is limited while the provider is unreachable, by default", async () => {
    const { provider } = await stage(sends(...GREETING));
    const settings = provider.settings({ streamMaxRetries: 1 });
    await provider.close();
    const clock = createFakeClock();
    const events = await collectThrough({ provider, clock, model: modelOf(settings, clock) }, [200]);
    expect(events.at(-1)).toEqual({
      type: "failed",
      error: {
        message: expect.stringMatching(/^Connection failed: error sending request: connect ECONNREFUSED /u),
        codexErrorInfo: { httpConnectionFailed: { httpStatusCode: null } },
        additionalDetails: null,
        misalignment: null,
      },
    });
  });

  test("stops when aborted during a delay", async () => {
    const { model, clock } = await stage(sends(CREATED), { streamMaxRetries: 5 });
    const controller = new AbortController();
    const events = collect(model, PLAIN_REQUEST, controller.signal);
    await clock.timer(200);
    controller.abort();
    expect((await events).at(-1)?.type).toBe("retrying");
    expect(clock.waiting).toEqual([]);
  });
});

describe("a silent provider", () => {
  test("runs into the idle timeout of the stream", async () => {
    const { model, clock } = await stage(begins(CREATED), { streamIdleTimeoutMs: 5_000 });
    const stream = model.stream(PLAIN_REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
    await stream.next();
    // The time of the consumer does not count.
    clock.advance(60_000);
    const next = stream.next();
    clock.advance(5_000);
    const { value } = (await next) as { value: ModelEvent[] };
    expect(value).toEqual([
      {
        type: "failed",
        error: {
          message: "stream disconnected before completion: idle timeout waiting for SSE",
          codexErrorInfo: "other",
          additionalDetails: null,
          misalignment: null,
        },
      },
    ]);
  });

  test("runs into the timeout for the response headers", async () => {
    const { model, clock } = await stage(() => {});
    const events = collect(model);
    await clock.timer(HEAD_TIMEOUT_MS);
    clock.advance(HEAD_TIMEOUT_MS);
    expect(await events).toEqual([
      {
        type: "failed",
        error: {
          message: "request timed out",
          codexErrorInfo: "other",
          additionalDetails: null,
          misalignment: null,
        },
      },
    ]);
  });

  test("is quoted with its partial error body", async () => {
    const { model, clock } = await stage((response) => {
      response.writeHead(404);
      response.write("half an expl");
    });
    const events = collect(model);
    await clock.timer(10_000);
    clock.advance(10_000);
    const [failed] = await events;
    expect(failed?.type === "failed" && failed.error.message).toMatch(/404 Not Found: half an expl, url: /);
  });
});

test("a connection that breaks in the middle is a broken stream", async () => {
  const { model } = await stage((response, socket) => {
    response.writeHead(200);
    response.write(sse(CREATED), () => socket.destroy());
  });
  const events = await collectBody(model);
  expect(events.map(({ type }) => type)).toEqual(["created", "failed"]);
});
