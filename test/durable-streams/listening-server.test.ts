/** Routes of streams on the listeners of a whole server. */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { LOCAL_LISTENER, listenOn } from "../../src/cli/serving/listen.ts";
import { openHeddle } from "../../src/server/heddle.ts";
import { createMemoryLogs, MemoryLog } from "../../src/server/http/durable-stream/memory-log.fixture.ts";
import { threadEventRoutes } from "../../src/server/http/stream-routes.ts";
import { createTempHome } from "../support/temp-home.ts";

async function openServer() {
  const folders = await createTempHome();
  onTestFinished(() => folders.remove());
  const env = { HOME: folders.user, HEDDLE_HOME: folders.home };
  const origin = { env, cwd: folders.workspace, flags: {}, profile: null, strictConfig: false };
  const heddle = await openHeddle({ ...origin, log: silentLogger });
  const log = new MemoryLog("application/json");
  log.append('{"n":1}');
  const logs = createMemoryLogs(new Map([["t1", log]]));
  const routes = threadEventRoutes({ logs, clock: systemClock, random: Math.random });
  const options = { ...LOCAL_LISTENER, judgeUpgrade: null, log: silentLogger, routes };
  return { heddle, log, options, folder: folders.root };
}

const PATH = "/threads/t1/events?offset=-1&live=sse";

test("a TCP listener serves streams, and ends them with the server", async () => {
  const { heddle, log, options } = await openServer();
  const { url } = await listenOn(heddle, { kind: "websocket", host: "127.0.0.1", port: 0 }, options);
  const response = await fetch(`${url.replace("ws:", "http:")}${PATH}`);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  await expect.poll(log.subscribers.bind(log)).toBe(2);
  await heddle.close();
  expect(await response.text()).toMatch(/^event: data\ndata:\[\{"n":1\}\]\n\nevent: control\n.*\n\n$/u);
  expect(log.subscribers()).toBe(0);
});

test("a unix socket serves streams to its owner, and no page can read them", async () => {
  const { heddle, options, folder } = await openServer();
  onTestFinished(() => heddle.close());
  const socketPath = join(folder, "server.sock");
  await listenOn(heddle, { kind: "unix", path: socketPath }, options);
  const path = "/threads/t1/events";
  const request = get({ socketPath, path, headers: { origin: "https://evil.example" }, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect({ status: response.statusCode, body: await textOf(response) }).toEqual({
    status: 200,
    body: '[{"n":1}]',
  });
  expect(response.headers["access-control-allow-origin"]).toBeUndefined();
});
