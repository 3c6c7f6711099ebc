import { describe, expect, test } from "vitest";
import { AppError } from "../../base/errors.ts";
import { silentLogger } from "../../base/logger.ts";
import type { ClientConnection } from "./client-connection.ts";
import { createGreeting, type GreetingOptions } from "./greeting.ts";

test("clients are served even if the configuration cannot be read", async () => {
  const logged: string[] = [];
  const greet = createGreeting({
    config: { home: "/", startup: () => Promise.reject(new AppError("config.invalid", "broken")) },
    onInitialized() {},
    log: { ...silentLogger, error: (message: string) => void logged.push(message) },
  } as unknown as GreetingOptions);
  await greet({} as ClientConnection);
  expect(logged).toEqual(["greeting a client failed"]);
});

describe("the first notice after a response", () => {
  const KNOWN = "ai-sdk-provider-codex-app-server";

  test.each([
    { name: KNOWN, configured: [], delayMs: 20 },
    { name: KNOWN, configured: [[KNOWN, 5]], delayMs: 5 },
    { name: KNOWN, configured: [[KNOWN, null]], delayMs: 20 },
    { name: KNOWN, configured: [[KNOWN, 0]], delayMs: null },
    { name: "other", configured: [["other", 7]], delayMs: 7 },
    { name: "other", configured: [[KNOWN, 7]], delayMs: null },
    { name: "constructor", configured: [], delayMs: null },
    { name: "codex_app_server_daemon", configured: [], delayMs: null },
  ] as const)("of $name with $configured waits $delayMs", async ({ name, configured, delayMs }) => {
    let told: number | null = null;
    const greet = createGreeting({
      onInitialized() {},
      config: { startup: async () => ({ ok: true, warnings: [] }) },
      limits: { read: async () => ({ noticeDelaysMs: new Map<string, number | null>(configured) }) },
      rulesWarning: async () => null,
      log: silentLogger,
    } as unknown as GreetingOptions);
    const handshake = { phase: "ready", clientName: name };
    await greet({ handshake, delayNotices: (ms: number) => void (told = ms) } as unknown as ClientConnection);
    expect(told).toBe(delayMs);
  });
});
