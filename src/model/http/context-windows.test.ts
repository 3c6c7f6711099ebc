import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import { PLAIN_PROVIDER } from "../fixtures/plain-provider.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { createContextWindows } from "./context-windows.ts";
import type { HttpOutcome } from "./http-client.ts";

const PROVIDER: ProviderSettings = {
  ...PLAIN_PROVIDER,
  baseUrl: "https://host/v1",
  wireApi: "chat",
  reportsContextWindow: true,
};

function open(answer: Promise<HttpOutcome>, baseUrl = PROVIDER.baseUrl) {
  const finished = createDeferred<void>();
  const asked: string[] = [];
  const windows = createContextWindows({
    provider: { ...PROVIDER, baseUrl },
    http: {
      send(request) {
        asked.push(request.target.href);
        return answer;
      },
    },
    deps: { clock: createFakeClock(), log: { ...silentLogger, debug: () => finished.resolve() } },
  });
  let logins = 0;
  const lookUp = (model: string) =>
    windows.lookUp(model, async () => {
      logins += 1;
      return {};
    });
  return { windows, lookUp, finished: finished.promise, asked, logins: () => logins };
}

const listing = (tokens: number): HttpOutcome => ({
  kind: "answered",
  response: {
    status: 200,
    headers: {},
    url: "",
    chunks: () => {
      throw new Error("nobody reads the stream");
    },
    text: async () => JSON.stringify({ data: [{ id: "m", context_length: tokens }] }),
    release() {},
    close() {},
  },
});

test("a model is queried once, up to a number of models", () => {
  const { lookUp, logins } = open(new Promise(() => {}));
  lookUp("m");
  lookUp("m");
  expect(logins()).toBe(1);
  for (let count = 0; count < 1000; count += 1) lookUp(`m${count}`);
  expect(logins()).toBe(256);
});

test("an overflow error takes precedence over a list, whichever comes first", async () => {
  const answer = createDeferred<HttpOutcome>();
  const { windows, lookUp, finished } = open(answer.promise);
  lookUp("m");
  windows.recordLimit("m", 8192);
  answer.resolve(listing(131_072));
  await finished;
  expect(windows.of("m")).toBe(8192);
  windows.recordLimit("m", 4096);
  expect(windows.of("m")).toBe(4096);
});

test("a provider with TLS is queried only for its model list", async () => {
  const { lookUp, finished, asked } = open(Promise.resolve({ kind: "timedOut" }), "https://host/api/v1/");
  lookUp("m");
  await finished;
  expect(asked).toEqual(["https://host/api/v1/models"]);
});

test("an invalid URL is not queried", async () => {
  const { lookUp, finished, asked } = open(Promise.resolve({ kind: "timedOut" }), "nowhere");
  lookUp("m");
  await finished;
  expect(asked).toEqual([]);
});
