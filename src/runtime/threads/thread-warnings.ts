/** Warnings about the configuration of a thread, sent once when it is loaded. */
import { join } from "node:path";
import type { Effective } from "../../config/get-effective.ts";
import { FEATURES } from "../../config/schema/feature-table.ts";
import { TRUST_BYPASSED } from "../setup/hooks.ts";
import type { Resolved, ThreadOverrides } from "./resolve-thread.ts";

export interface WarnedThread {
  readonly resolved: Resolved;
  readonly overrides: ThreadOverrides;
  readonly recordedModel: string | null;
}

export function threadWarnings({ resolved, overrides, recordedModel }: WarnedThread, home: string): string[] {
  const { effective, settings } = resolved;
  const { serviceTier } = overrides;
  const wantedTier = serviceTier === undefined ? effective.values.service_tier : serviceTier;
  return [
    ...effective.warnings,
    ...(effective.bypassesHookTrust ? [TRUST_BYPASSED] : []),
    ...unfinishedFeatures(effective, home),
    ...(wantedTier === null || settings.serviceTier !== null
      ? []
      : [missingTier(wantedTier, settings.model)]),
    ...(recordedModel === null || recordedModel === settings.model
      ? []
      : [otherModel(recordedModel, settings.model)]),
  ];
}

/** Unstable features that were switched on explicitly; some are on by default. */
function unfinishedFeatures({ values, features }: Effective, home: string): string[] {
  if (values.suppress_unstable_features_warning === true) return [];
  const configured = Object.entries(values.features ?? {}).filter(([, value]) => value !== null);
  const names = configured
    .flatMap(([name]) => (isUnfinished(name) && features.get(name) === true ? [name] : []))
    .sort();
  if (names.length === 0) return [];
  const file = join(home, "config.toml");
  return [
    `Under-development features enabled: ${names.join(", ")}. Under-development features are incomplete and may behave unpredictably. To suppress this warning, set \`suppress_unstable_features_warning = true\` in ${file}.`,
  ];
}

function isUnfinished(feature: string): boolean {
  return FEATURES.some(([name, stage]) => name === feature && stage === "underDevelopment");
}

function otherModel(recorded: string, model: string): string {
  return `This session was recorded with model \`${recorded}\` but is resuming with \`${model}\`. Consider switching back to \`${recorded}\` as it may affect Codex performance.`;
}

function missingTier(tier: string, model: string): string {
  return `Configured service tier \`${tier}\` is not advertised as supported for model \`${model}\` and will be omitted from requests.`;
}
