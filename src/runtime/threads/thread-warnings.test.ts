import { expect, test } from "vitest";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { Resolved } from "./resolve-thread.ts";
import { threadWarnings } from "./thread-warnings.ts";

const UNFINISHED =
  "Under-development features enabled: code_mode, runtime_metrics. Under-development features are incomplete and may behave unpredictably. To suppress this warning, set `suppress_unstable_features_warning = true` in /home/config.toml.";

/** The warnings of a thread whose model has no tiers. */
function warn(values: Partial<ConfigValues>, serviceTier?: string | null) {
  const configured = { features: null, service_tier: null, suppress_unstable_features_warning: null };
  const resolved = {
    effective: {
      values: { ...configured, ...values },
      features: new Map([
        ["runtime_metrics", true],
        ["code_mode", true],
        ["instant_interrupt", true],
        ["memories", true],
      ]),
      warnings: ["one setting is ignored"],
    },
    settings: { model: "m", serviceTier: serviceTier === null ? "default" : null },
  } as unknown as Resolved;
  const overrides = serviceTier === undefined ? {} : { serviceTier };
  return threadWarnings({ resolved, overrides, recordedModel: null }, "/home");
}

test("the user hears of what is ignored, of what is unfinished, and of a tier that the model lacks", () => {
  const features = { runtime_metrics: true, code_mode: { enabled: true }, memories: true };
  expect(warn({ features, service_tier: "bogus" })).toEqual([
    "one setting is ignored",
    UNFINISHED,
    "Configured service tier `bogus` is not advertised as supported for model `m` and will be omitted from requests.",
  ]);
});

test("what is on by default, or not wanted to be heard, is no news", () => {
  const features = { runtime_metrics: true };
  expect(warn({})).toEqual(["one setting is ignored"]);
  expect(warn({ features, suppress_unstable_features_warning: true })).toEqual(["one setting is ignored"]);
});

test("a client that takes back the tier is not told of the configured one", () => {
  expect(warn({ service_tier: "bogus" }, null)).toEqual(["one setting is ignored"]);
});
