// Computes the effective configuration of a thread.
import path from "node:path";
import { isSameList } from "../base/is-same-list.ts";
import { type ConfigContext, featuresOf, type LoadedConfig, loadAll } from "./config-context.ts";
import { type ConfigResult, configFailure } from "./config-error.ts";
import { blameLayer, findContradiction } from "./effective-config.ts";
import type { Layer } from "./layer.ts";
import type { TrustLevel } from "./project-trust.ts";
import { applyRequirements, type Requirements } from "./requirements.ts";
import type { ConfigValues } from "./schema/config-schema.ts";
import { threadOverrides } from "./session-flags.ts";
import { describeIgnored } from "./startup-report.ts";
import { describeFault } from "./toml/config-fault.ts";

export interface EffectiveRequest {
  /** Adds the layers of the project around it. */
  readonly cwd?: string;
  /** The `config` of a thread: dotted keys. */
  readonly thread?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface Effective {
  readonly values: ConfigValues;
  /** Lowest first; disabled ones carry their reason. */
  readonly layers: readonly Layer[];
  readonly features: ReadonlyMap<string, boolean>;
  readonly requirements: Requirements | null;
  /** The user's trust level for the folder or its repository. */
  readonly trustLevel: TrustLevel | undefined;
  /** The user's trust level for the project root. */
  readonly rootTrustLevel: TrustLevel | undefined;
  /** From the project root down to the folder. */
  readonly projectFolders: readonly string[];
  /** Untrusted hooks run as well, because a client has requested it. */
  readonly bypassesHookTrust: boolean;
  /** Warnings about settings without effect, for the user. */
  readonly warnings: readonly string[];
}

/** How many configurations are cached: about one per project in use. */
const MAX_CACHED = 16;

/** Returns the same object while the files that it was read from and the request are the same. */
export type EffectiveReader = (request: EffectiveRequest) => Promise<ConfigResult<Effective>>;

export function createEffectiveReader(context: ConfigContext): EffectiveReader {
  const known = new Map<
    string,
    { readonly loaded: LoadedConfig; readonly result: ConfigResult<Effective> }
  >();
  return async (request) => {
    const { bypass_hook_trust: bypass = false, ...overrides } = request.thread ?? {};
    if (typeof bypass !== "boolean") return configFailure("`bypass_hook_trust` override must be a boolean");
    const cwd = request.cwd === undefined ? undefined : path.resolve(context.cwd, request.cwd);
    const loaded = await loadAll(context, { cwd, overrides: threadOverrides(overrides) });
    if (!loaded.ok) return loaded;
    const key = JSON.stringify([cwd, request.thread, [...context.running]]);
    const cached = known.get(key);
    if (cached !== undefined && isSameConfig(cached.loaded, loaded.value)) return cached.result;
    const result = evaluateLoaded(context, loaded.value, bypass);
    known.delete(key);
    known.set(key, { loaded: loaded.value, result });
    const [oldest] = known.keys();
    if (known.size > MAX_CACHED && oldest !== undefined) known.delete(oldest);
    return result;
  };
}

/** Layers are the same objects while their files are unchanged. */
function isSameConfig(a: LoadedConfig, b: LoadedConfig): boolean {
  return (
    a.requirements === b.requirements &&
    a.trustLevel === b.trustLevel &&
    a.rootTrustLevel === b.rootTrustLevel &&
    isSameList(a.layers, b.layers) &&
    isSameList(a.projectFolders, b.projectFolders) &&
    isSameList(a.warnings, b.warnings)
  );
}

function evaluateLoaded(
  context: ConfigContext,
  loaded: LoadedConfig,
  bypassesHookTrust: boolean,
): ConfigResult<Effective> {
  const { layers, requirements, trustLevel, rootTrustLevel, projectFolders } = loaded;
  const evaluated = context.evaluate(layers);
  if (!evaluated.ok) return configFailure(describeFault(blameLayer(layers, evaluated.fault)));
  const { values } = evaluated.config;
  const contradiction = findContradiction(evaluated.config);
  if (contradiction !== undefined) return configFailure(contradiction);
  return {
    ok: true,
    value: {
      values: applyRequirements(requirements?.values, values),
      layers,
      features: featuresOf(context, values, requirements),
      requirements,
      trustLevel,
      rootTrustLevel,
      projectFolders,
      bypassesHookTrust,
      warnings: describeIgnored(layers, loaded.warnings, requirements),
    },
  };
}
