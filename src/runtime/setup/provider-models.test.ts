import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import type { ModelProvider } from "../../config/model-provider.ts";
import { createProgramCheck, createProviderModels, MAX_OPEN_MODELS } from "./provider-models.ts";

function providerWith(token: number): ModelProvider {
  return {
    id: "one",
    name: "one",
    baseUrl: "http://127.0.0.1:1/v1",
    wireApi: "responses",
    apiKey: `key ${token}`,
    tokenCommand: null,
    headers: {},
    queryParams: {},
    requestMaxRetries: 0,
    streamMaxRetries: 0,
    streamIdleTimeoutMs: 1000,
    requiresOpenaiAuth: false,
    fault: null,
  };
}

test("settings that are used share a model, and of too many those unused the longest are closed", async () => {
  const models = createProviderModels({
    clock: systemClock,
    env: {},
    random: Math.random,
    log: silentLogger,
  });
  const [used, unused] = [await models.of(providerWith(0)), await models.of(providerWith(1))];
  for (let token = 2; token <= MAX_OPEN_MODELS; token += 1) {
    await models.of(providerWith(token));
    expect(await models.of(providerWith(0))).toBe(used);
  }
  expect(await models.of(providerWith(1))).not.toBe(unused);
  models.close();
});

test("a program that prints a token is refused where a confined command could have written it", () => {
  const writablePaths = { contains: (path: string) => path === "/bin/ls" };
  const refuse = createProgramCheck({ env: { PATH: "/usr/bin" }, cwd: "/bin", writablePaths });
  expect([
    refuse?.(["true", "ls"], null),
    refuse?.(["true", "ls"], "/etc"),
    refuse?.(["true"], null),
  ]).toEqual(["/bin/ls lies where sandboxed commands can write: move it elsewhere", null, null]);
});
