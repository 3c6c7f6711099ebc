import { describe, expect, test } from "vitest";
import type { Environment } from "../base/environment.ts";
import { createTestHome } from "./config.fixture.ts";
import { type ResolvedProvider, resolveModelProvider } from "./model-provider.ts";

interface Options {
  readonly env?: Environment;
  readonly id?: string;
}

async function resolve(text: string, { env = {}, ...rest }: Options = {}): Promise<ResolvedProvider> {
  const effective = await (await createTestHome(text).open()).effective();
  if (!effective.ok) throw new Error(effective.error.message);
  return resolveModelProvider(effective.value.values, { env, ...rest });
}

const patience = { requestMaxRetries: 4, streamMaxRetries: 5, streamIdleTimeoutMs: 300_000 };

describe("the model provider", () => {
  test("is the scripted one when nothing points to a real one", async () => {
    expect(await resolve("")).toMatchObject({ provider: { id: "demo", baseUrl: null, apiKey: null } });
  });

  test.each<[string, Options]>([
    ["", { env: { OPENAI_API_KEY: "k" } }],
    ["", { env: { CODEX_API_KEY: "k", OPENAI_API_KEY: "other" } }],
    ['model_provider = "openai"\n', { env: { OPENAI_API_KEY: "k" } }],
  ])("is openai with %j and %j", async (text, options) => {
    expect(await resolve(text, options)).toEqual({
      ok: true,
      provider: {
        id: "openai",
        name: "OpenAI",
        baseUrl: "https://api.openai.com/v1",
        wireApi: "responses",
        apiKey: "k",
        tokenCommand: null,
        headers: {},
        queryParams: {},
        ...patience,
        requiresOpenaiAuth: true,
        fault: null,
      },
    });
  });

  test("openai may live elsewhere and carries an organization", async () => {
    const env = { OPENAI_ORGANIZATION: "org", OPENAI_PROJECT: " " };
    expect(await resolve('openai_base_url = "http://localhost:1/v1/"\n', { env })).toMatchObject({
      provider: {
        id: "openai",
        baseUrl: "http://localhost:1/v1",
        apiKey: null,
        headers: { "OpenAI-Organization": "org" },
      },
    });
  });

  test("can be configured in every detail", async () => {
    const text = `
model_provider = "mine"
[model_providers.mine]
name = "Mine"
base_url = "http://mine/v1/"
env_key = "MINE_KEY"
wire_api = "chat"
http_headers = { a = "1" }
env_http_headers = { b = "B", c = "C" }
query_params = { v = "2" }
request_max_retries = 1000
stream_max_retries = 0
stream_idle_timeout_ms = 5
`;
    expect(await resolve(text, { env: { MINE_KEY: "k", B: "2" } })).toEqual({
      ok: true,
      provider: {
        id: "mine",
        name: "Mine",
        baseUrl: "http://mine/v1",
        wireApi: "chat",
        apiKey: "k",
        tokenCommand: null,
        headers: { a: "1", b: "2" },
        queryParams: { v: "2" },
        requestMaxRetries: 100,
        streamMaxRetries: 0,
        streamIdleTimeoutMs: 5,
        requiresOpenaiAuth: false,
        fault: null,
      },
    });
  });

  test("says which variable is missing", async () => {
    const text =
      '[model_providers.mine]\nname = "M"\nenv_key = "MINE_KEY"\nenv_key_instructions = "Get one."\n';
    expect(await resolve(text, { id: "mine" })).toMatchObject({
      ok: true,
      provider: { apiKey: null, fault: "Missing environment variable: `MINE_KEY`. Get one." },
    });
  });

  test("may take its token from a program, from the file, or from the login", async () => {
    const text = `
[model_providers.program]
name = "P"
auth = { command = "token", args = ["x"] }
[model_providers.file]
name = "F"
experimental_bearer_token = "t"
[model_providers.login]
name = "L"
requires_openai_auth = true
`;
    expect(await resolve(text, { id: "program" })).toMatchObject({
      provider: {
        apiKey: null,
        tokenCommand: {
          command: "token",
          args: ["x"],
          timeoutMs: 5000,
          refreshIntervalMs: 300_000,
          cwd: null,
        },
      },
    });
    expect(await resolve(text, { id: "file" })).toMatchObject({ provider: { apiKey: "t" } });
    expect(await resolve(text, { id: "login", env: { OPENAI_API_KEY: "s" } })).toMatchObject({
      provider: { apiKey: "s" },
    });
  });

  test("on this machine listens on the port of its kind", async () => {
    expect(await resolve("", { id: "ollama" })).toMatchObject({
      provider: { baseUrl: "http://localhost:11434/v1" },
    });
    expect(await resolve("", { id: "lmstudio", env: { CODEX_OSS_PORT: "99" } })).toMatchObject({
      provider: { baseUrl: "http://localhost:99/v1" },
    });
  });

  test("may be Anthropic, which a table of that name replaces", async () => {
    const env = { ANTHROPIC_API_KEY: "k" };
    expect(await resolve('model_provider = "anthropic"\n', { env })).toMatchObject({
      provider: {
        name: "Anthropic",
        baseUrl: "https://api.anthropic.com/v1",
        wireApi: "messages",
        apiKey: "k",
        fault: null,
      },
    });
    expect(await resolve("", { id: "anthropic" })).toMatchObject({
      provider: { apiKey: null, fault: "Missing environment variable: `ANTHROPIC_API_KEY`." },
    });
    const own = '[model_providers.anthropic]\nname = "A"\nbase_url = "http://own/v1"\nwire_api = "chat"\n';
    expect(await resolve(own, { id: "anthropic", env })).toMatchObject({
      provider: { name: "A", baseUrl: "http://own/v1", wireApi: "chat", apiKey: null },
    });
  });

  test.each([
    ["https://gateway/anthropic", "https://gateway/anthropic/v1"],
    ["https://gateway/v1/", "https://gateway/v1"],
    ["https://gateway/v12", "https://gateway/v12"],
  ])("of the Messages API is found with and without the version: %s", async (given, baseUrl) => {
    const text = `[model_providers.m]\nname = "M"\nbase_url = "${given}"\nwire_api = "messages"\n`;
    expect(await resolve(text, { id: "m" })).toMatchObject({ provider: { baseUrl } });
  });

  test.each([
    ["nope", "Model provider `nope` not found"],
    ["amazon-bedrock", "model provider `amazon-bedrock` is not supported"],
  ])("%s is refused", async (id, message) => {
    expect(await resolve("", { id })).toEqual({ ok: false, message });
  });
});
