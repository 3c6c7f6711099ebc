import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createLogger, silentLogger } from "../base/logger.ts";
import { createDeferred } from "../base/tasks.ts";
import type { ConfigSource } from "../runtime/configuration/config-source.ts";
import type { ClientConnection } from "./connections/client-connection.ts";
import { createReports, type ReportsOptions } from "./reports.ts";

type Config = Awaited<ReturnType<ConfigSource["get"]>>;

function setup(config: Promise<Config>, log = silentLogger) {
  const runtime = () => {
    throw new Error("unexpected scrape of metrics");
  };
  const source = { get: () => config } as unknown as ConfigSource;
  const options: ReportsOptions = { config: source, env: {}, clock: systemClock, log, runtime };
  return createReports(options);
}

const SILENT = {
  effective: async () => ({ ok: true, value: { values: { otel: null } } }),
} as unknown as Config;
const CLIENT = {} as ClientConnection;
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test("a client is greeted only after telemetry has started", async () => {
  const config = createDeferred<Config>();
  const greeted: ClientConnection[] = [];
  const greet = setup(config.promise).startTelemetryBefore(
    async (connection) => void greeted.push(connection),
  );
  const done = greet(CLIENT);
  await nextTick();
  expect(greeted).toEqual([]);
  config.resolve(SILENT);
  await done;
  expect(greeted).toEqual([CLIENT]);
});

test("clients are greeted even if the configuration cannot be read, and the failure is logged once", async () => {
  const lines: string[] = [];
  const log = createLogger({
    level: "error",
    format: "text",
    now: () => 0,
    write: (line) => lines.push(line),
  });
  const greeted: ClientConnection[] = [];
  const reports = setup(Promise.reject(new Error("broken")), log);
  const greet = reports.startTelemetryBefore(async (connection) => void greeted.push(connection));
  await greet(CLIENT);
  await greet(CLIENT);
  await reports.close();
  expect([greeted.length, lines.length]).toEqual([2, 1]);
});
