import { describe, expect, test } from "vitest";
import { createModelCatalog, defaultModel, listModels } from "./catalog.ts";
import { modelInfo } from "./model-info.ts";

const catalog = createModelCatalog({ isDemo: false });

const VISIBLE = [
  "gpt-6.1-sol",
  "gpt-6-astra",
  "gpt-6-sol",
  "gpt-6-luna",
  "gpt-5.6-sol",
  "gpt-6.1-terra",
  "gpt-5.6-terra",
  "gpt-5.6-luna",
  "gpt-5.5",
];

function list(params: Parameters<typeof listModels>[1]) {
  const result = listModels(catalog, params);
  if (result.kind === "refused") return result.message;
  return [result.page.data.map(({ id }) => id), result.page.nextCursor];
}

describe("the list of models", () => {
  test("lists visible models by default", () => {
    expect(list({})).toEqual([VISIBLE, null]);
    expect(list({ includeHidden: true })).toEqual([
      [
        ...VISIBLE.slice(0, 8),
        "gpt-daybreak-blue-latest",
        "gpt-daybreak-red-latest",
        "gpt-5.5",
        "codex-auto-review",
      ],
      null,
    ]);
  });

  test("is paginated with at least one entry per page", () => {
    expect(list({ limit: 2 })).toEqual([VISIBLE.slice(0, 2), "2"]);
    expect(list({ limit: 2, cursor: "2" })).toEqual([VISIBLE.slice(2, 4), "4"]);
    expect(list({ limit: 2, cursor: "+007" })).toEqual([VISIBLE.slice(7, 9), null]);
    expect(list({ limit: 2, cursor: "9" })).toEqual([[], null]);
    expect(list({ limit: 0 })).toEqual([VISIBLE.slice(0, 1), "1"]);
    expect(list({ limit: 9 })).toEqual([VISIBLE, null]);
    expect(list({ limit: 4_294_967_295, cursor: null })).toEqual([VISIBLE, null]);
  });

  test("rejects invalid cursors", () => {
    for (const cursor of ["zz", "", " 1", "-1", "1.0", "0x1", "18446744073709551616"]) {
      expect(list({ cursor })).toBe(`invalid cursor: ${cursor}`);
    }
    expect(list({ cursor: "10" })).toBe("cursor 10 exceeds total models 9");
    expect(list({ cursor: "18446744073709551615" })).toBe(
      "cursor 18446744073709551615 exceeds total models 9",
    );
    expect(list({ cursor: "13", includeHidden: true })).toBe("cursor 13 exceeds total models 12");
  });

  test("has exactly one default, which is not hidden", () => {
    expect(catalog.filter(({ isDefault }) => isDefault).map(({ id }) => id)).toEqual(["gpt-6.1-sol"]);
    expect(defaultModel({ isDemo: false })).toBe("gpt-6.1-sol");
  });

  test("has only the demo model without a provider", () => {
    const demo = createModelCatalog({ isDemo: true });
    expect(demo.map(({ id, isDefault, hidden }) => [id, isDefault, hidden])).toEqual([
      ["heddle-demo", true, false],
    ]);
    expect(listModels(demo, { includeHidden: true })).toMatchObject({ page: { data: demo } });
    expect(catalog.some(({ id }) => id === "heddle-demo")).toBe(false);
  });

  test("contains the properties of each model", () => {
    const shown = catalog.map((model) => [
      model.id,
      model.displayName,
      model.supportedReasoningEfforts.length,
      model.defaultReasoningEffort,
      model.upgrade,
      model.multiAgentVersion,
      model.serviceTiers.length,
      model.defaultServiceTier,
      model.modelSpecialty,
    ]);
    expect(shown).toEqual([
      ["gpt-6.1-sol", "GPT-6.1-Sol", 6, "low", null, "v2", 1, null, null],
      ["gpt-6-astra", "GPT-6-Astra", 6, "low", null, "v2", 1, null, null],
      ["gpt-6-sol", "GPT-6-Sol", 6, "medium", null, "v2", 1, "priority", null],
      ["gpt-6-luna", "GPT-6-Luna", 5, "medium", null, "v2", 1, "priority", null],
      ["gpt-5.6-sol", "GPT-5.6-Sol", 6, "low", "gpt-6-sol", "v2", 1, null, null],
      ["gpt-6.1-terra", "GPT-6.1 Terra", 6, "low", null, "v2", 1, null, null],
      ["gpt-5.6-terra", "GPT-5.6-Terra", 6, "medium", "gpt-6-sol", "v2", 1, null, null],
      ["gpt-5.6-luna", "GPT-5.6-Luna", 5, "medium", "gpt-6-luna", "v1", 1, null, null],
      ["gpt-daybreak-blue-latest", "Daybreak Blue", 6, "low", null, "v2", 0, null, "cyber"],
      ["gpt-daybreak-red-latest", "Daybreak Red", 6, "medium", null, "v2", 0, null, "cyber"],
      ["gpt-5.5", "GPT-5.5", 4, "medium", "gpt-6-sol", null, 1, null, null],
      ["codex-auto-review", "Codex Auto Review", 5, "medium", null, "v1", 1, null, null],
    ]);
  });
});

describe("model info", () => {
  test("determines the request options", () => {
    expect(modelInfo("gpt-5.5")).toEqual({
      isFallback: false,
      parallelToolCalls: true,
      hasApplyPatch: true,
      contextWindow: 272_000,
      usableContextWindow: 258_400,
      autoCompactTokenLimit: 244_800,
      defaultEffort: "medium",
      defaultSummary: "none",
      verbosity: "low",
      inputModalities: ["text", "image"],
      toolOutput: { unit: "tokens", limit: 10_000 },
    });
    expect(modelInfo("gpt-6.1-sol")).toMatchObject({ parallelToolCalls: false });
  });

  test("falls back to conservative defaults for an unknown model", () => {
    expect(modelInfo("mock-model")).toEqual({
      isFallback: true,
      parallelToolCalls: true,
      hasApplyPatch: false,
      contextWindow: 272_000,
      usableContextWindow: 258_400,
      autoCompactTokenLimit: 244_800,
      defaultEffort: null,
      defaultSummary: "auto",
      verbosity: null,
      inputModalities: ["text", "image"],
      toolOutput: { unit: "bytes", limit: 10_000 },
    });
  });

  test("applies to versioned and namespaced names", () => {
    const sameAs = (known: string, ...names: readonly string[]) =>
      expect(names.map((name) => modelInfo(name))).toEqual(names.map(() => modelInfo(known)));
    sameAs("gpt-5.5", "gpt-5.5-2026-03-01", "house/gpt-5.5");
    sameAs("gpt-6.1-sol", "gpt-6.1-sol-mini");
    sameAs("nobody-knows", "a/b/gpt-5.5", "ho use/gpt-5.5", "my-gpt-5.5");
  });

  test("applies a configured verbosity if the model supports it", () => {
    const verbosity = (slug: string) => modelInfo(slug, { verbosity: "high" }).verbosity;
    expect([verbosity("gpt-5.5"), verbosity("mock-model")]).toEqual(["high", null]);
  });

  test("is overridden by the configuration within the model's limits", () => {
    const limits = (...args: Parameters<typeof modelInfo>) => {
      const { contextWindow, usableContextWindow, autoCompactTokenLimit } = modelInfo(...args);
      return [contextWindow, usableContextWindow, autoCompactTokenLimit];
    };
    expect(limits("gpt-6-sol", { contextWindow: 400_000 })).toEqual([400_000, 380_000, 360_000]);
    expect(limits("gpt-5.5", { contextWindow: 400_000 })).toEqual([272_000, 258_400, 244_800]);
    expect(limits("mine", { providerWindow: 8192 })).toEqual([8192, 7782, 7372]);
    expect(limits("mine", { providerWindow: 1_000_000 })[0]).toBe(1_000_000);
    expect(limits("mine", { providerWindow: 8192, contextWindow: 4096 })[0]).toBe(4096);
    expect(limits("mine", { providerWindow: 8192, contextWindow: 400_000 })[0]).toBe(8192);
    expect(limits("gpt-5.5", { providerWindow: 128_000 })[0]).toBe(128_000);
    expect(limits("gpt-5.5", { providerWindow: 400_000 })[0]).toBe(272_000);
    expect(limits("gpt-5.5", { autoCompactTokenLimit: 100 })).toEqual([272_000, 258_400, 100]);
    expect(limits("gpt-5.5", { autoCompactTokenLimit: 999_999 })).toEqual([272_000, 258_400, 244_800]);
  });
});
