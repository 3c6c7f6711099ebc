import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createLogger, silentLogger } from "../base/logger.ts";
import { createDeferred } from "../base/tasks.ts";
import type { ConfigSource } from "../runtime/configuration/config-source.ts";
import type { Connection } from "./connections/connection.ts";
import { createReports, type ReportsOptions } from "./reports.ts";

type Config = Awaited<ReturnType<ConfigSource["get"]>>;

function open(config: Promise<Config>, log = silentLogger) {
  const runtime = () => {
    throw new Error("nobody scrapes metrics");
  };
  const source = { get: () => config } as unknown as ConfigSource;
  const options: ReportsOptions = { config: source, env: {}, clock: systemClock, log, runtime };
  return createReports(options);
}

const SILENT = {
  effective: async () => ({ ok: true, value: { values: { otel: null } } }),
} as unknown as Config;
const CLIENT = {} as Connection;
const turnOfEvents = () => new Promise((resolve) => setImmediate(resolve));

test("nobody is greeted, and so nothing begins, before it is known who wants to hear of it", async () => {
  const config = createDeferred<Config>();
  const greeted: Connection[] = [];
  const greet = open(config.promise).before(async (connection) => void greeted.push(connection));
  const done = greet(CLIENT);
  await turnOfEvents();
  expect(greeted).toEqual([]);
  config.resolve(SILENT);
  await done;
  expect(greeted).toEqual([CLIENT]);
});

test("a configuration that cannot be read keeps nobody from being greeted", async () => {
  const lines: string[] = [];
  const log = createLogger({
    level: "error",
    format: "text",
    now: () => 0,
    write: (line) => lines.push(line),
  });
  const greeted: Connection[] = [];
  const reports = open(Promise.reject(new Error("broken")), log);
  const greet = reports.before(async (connection) => void greeted.push(connection));
  await greet(CLIENT);
  await greet(CLIENT);
  await reports.close();
  expect([greeted.length, lines.length]).toEqual([2, 1]);
});
