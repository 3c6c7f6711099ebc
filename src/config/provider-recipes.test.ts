import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createTestHome } from "./config.fixture.ts";
import { resolveModelProvider } from "./model-provider.ts";

/** In the order of the page: the section, and where its blocks lead. */
const RECIPES = [
  ["OpenAI", "openai", "https://api.openai.com/v1", "responses"],
  ["Azure", "azure", "https://my-resource.openai.azure.com/openai/v1", "responses"],
  ["Anthropic", "anthropic", "https://api.anthropic.com/v1", "messages"],
  ["Anthropic", "gateway", "https://gateway.example.com/anthropic/v1", "messages"],
  ["OpenRouter", "openrouter", "https://openrouter.ai/api/v1", "chat"],
  ["Ollama", "ollama", "http://localhost:11434/v1", "responses"],
  ["Ollama", "older-ollama", "http://localhost:11434/v1", "chat"],
  ["LM Studio", "lmstudio", "http://localhost:1234/v1", "responses"],
  ["vLLM", "vllm", "http://localhost:8000/v1", "chat"],
  ["llama.cpp", "llama-cpp", "http://localhost:8080/v1", "chat"],
  ["Mistral", "mistral", "https://api.mistral.ai/v1", "chat"],
  ["Google", "google", "https://generativelanguage.googleapis.com/v1beta/openai", "chat"],
] as const;

const blocks = readFileSync("docs/providers.md", "utf8")
  .split(/^## /m)
  .flatMap((section) =>
    [...section.matchAll(/^```toml\n(.*?)^```$/gms)].map(([, code = ""]) => ({
      title: section.split("\n")[0] ?? "",
      code,
    })),
  );

/** Any variable that a block names is set, so that a missing key is no fault of the block. */
const env = new Proxy({}, { get: (_, name) => (String(name).endsWith("_KEY") ? "key" : undefined) });

test("the page has a block for each of the usual providers", () => {
  expect(blocks.map(({ title }) => title)).toEqual(RECIPES.map(([title]) => title));
});

test.each(RECIPES.map((recipe, index) => [...recipe, blocks[index]?.code ?? ""] as const))(
  "the block for %s, %s, is read without a complaint and leads to its address",
  async (_, id, ...[baseUrl, wireApi, code]) => {
    const config = await createTestHome(code).open();
    expect(await config.startup()).toEqual({ ok: true, warnings: [] });
    const effective = await config.effective();
    if (!effective.ok) throw new Error(effective.error.message);
    const { values } = effective.value;
    expect(values.model).not.toBeNull();
    expect(resolveModelProvider(values, { env })).toMatchObject({
      ok: true,
      provider: { id, baseUrl, wireApi, fault: null },
    });
  },
);
