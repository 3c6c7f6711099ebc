import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../base/fake-clock.fixture.ts";
import type { LogFields, Logger } from "../base/logger.ts";
import { createDeferred } from "../base/tasks.ts";
import { createUuidSource } from "../base/uuid.ts";
import type { ConfigSource } from "./configuration/config-source.ts";
import { createRetentionJob } from "./retention-job.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ID = "019fbe04-3ce0-776a-897e-c856cf1135ac";

function openStage(retention: { max_age_days: number | null; max_bytes: number | null }) {
  const home = mkdtempSync(join(tmpdir(), "heddle-daily-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, "sessions/2026/08/01");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `rollout-2026-08-01T15-49-36-${ID}.jsonl`);
  const meta = {
    id: ID,
    timestamp: "2026-08-01T15:49:36Z",
    cwd: "/",
    source: "cli",
    filler: "x".repeat(500),
  };
  const said = { type: "user_message", message: "hello" };
  const lines = [
    { timestamp: meta.timestamp, type: "session_meta", payload: meta },
    { timestamp: meta.timestamp, type: "event_msg", payload: said },
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  utimesSync(path, 1000, 1000);
  const clock = createFakeClock(Date.now());
  const told: [string, LogFields | undefined][] = [];
  let heard = createDeferred<void>();
  const info = (text: string, fields?: LogFields) => {
    told.push([text, fields]);
    heard.resolve();
    heard = createDeferred();
  };
  const log = { debug() {}, info, warn: info, error: info } as unknown as Logger;
  const values = { retention: { ...retention, keep_named: true }, durability: "os" };
  const configuration = { effective: async () => ({ ok: true, value: { values } }) };
  const config = { get: async () => configuration, writablePaths: {} } as unknown as ConfigSource;
  const daily = () =>
    createRetentionJob({ env: {}, clock, log, createId: createUuidSource(clock) }, config, home);
  return {
    home,
    clock,
    told,
    daily,
    whenTold: () => heard.promise,
    archived: () => namesIn(join(home, "archived_sessions")),
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

test("a home with limits lets go of old threads once a day, whichever of its servers does it", async () => {
  const { clock, told, daily, archived, whenTold } = openStage({ max_age_days: 30, max_bytes: null });
  const servers = [daily(), daily()];
  clock.advance(9 * MINUTE);
  expect(archived()).toEqual([]);
  clock.advance(MINUTE);
  await whenTold();
  await Promise.all(servers.map((server) => server.close()));
  expect(archived()).toEqual([expect.stringMatching(/\.jsonl\.zst$/)]);
  const done = { archived: 1, packed: 0, deleted: 0, left: 0 };
  expect(told).toEqual([["retention limits were applied", expect.objectContaining(done)]]);
  const later = daily();
  clock.advance(31 * DAY);
  await whenTold();
  await later.close();
  expect(archived()).toEqual([]);
  expect(told[1]).toEqual([
    "retention limits were applied",
    expect.objectContaining({ deleted: 1, bytesAfter: 0 }),
  ]);
});

test("a home without limits is left alone", async () => {
  const { home, clock, told, daily } = openStage({ max_age_days: null, max_bytes: null });
  const server = daily();
  clock.advance(10 * MINUTE);
  await clock.timer(60 * MINUTE);
  await server.close();
  expect([told, readdirSync(home)]).toEqual([[], ["sessions"]]);
});
