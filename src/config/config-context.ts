// State shared by the operations on one configuration.
import type { Clock } from "../base/clock.ts";
import { createLanes } from "../base/lanes.ts";
import { type ConfigResult, configFailure } from "./config-error.ts";
import { createEvaluator, type Evaluated } from "./effective-config.ts";
import { createFileCache, type FileCache } from "./file-cache.ts";
import type { Layer } from "./layer.ts";
import {
  createLayerLoader,
  type LayerLoader,
  type LoaderSettings,
  type LoadRequest,
} from "./layer-loader.ts";
import type { TrustLevel } from "./project-trust.ts";
import { type LoadedRequirements, loadRequirements, type Requirements } from "./requirements.ts";
import type { ConfigValues } from "./schema/config-schema.ts";
import { featureStates } from "./schema/features.ts";
import { describeFault } from "./toml/config-fault.ts";

export interface ContextInput {
  readonly settings: LoaderSettings;
  /** The working directory of the server. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly createId: () => string;
}

export interface ConfigContext extends ContextInput {
  readonly files: FileCache;
  readonly loader: LayerLoader;
  readonly evaluate: (layers: readonly Layer[]) => Evaluated;
  /** Feature flags set at run time. */
  readonly running: Map<string, boolean>;
  /** Serializes writes. */
  readonly exclusively: <T>(task: () => Promise<T>) => Promise<T>;
}

export function createContext(input: ContextInput): ConfigContext {
  const files = createFileCache(input.clock);
  const lanes = createLanes();
  return {
    ...input,
    files,
    loader: createLayerLoader(input.settings, files),
    evaluate: createEvaluator(),
    running: new Map(),
    exclusively: (task) =>
      new Promise((resolve, reject) => {
        lanes.run("write", "exclusive", () => task().then(resolve, reject));
      }),
  };
}

export function requirementsOf({ files, settings }: ConfigContext): Promise<LoadedRequirements> {
  return loadRequirements(files, settings.systemDir, settings.userHome);
}

export interface LoadedConfig {
  readonly layers: readonly Layer[];
  readonly requirements: Requirements | null;
  /** Warnings about project files. */
  readonly warnings: readonly string[];
  readonly trustLevel: TrustLevel | undefined;
  readonly rootTrustLevel: TrustLevel | undefined;
  readonly projectFolders: readonly string[];
}

export async function loadAll(
  context: ConfigContext,
  request: LoadRequest,
): Promise<ConfigResult<LoadedConfig>> {
  const [loaded, demands] = await Promise.all([context.loader.load(request), requirementsOf(context)]);
  if (!demands.ok) return configFailure(describeFault(demands.fault));
  if (!loaded.ok) return configFailure(describeFault(loaded.fault));
  const { layers, warnings, trustLevel, rootTrustLevel, projectFolders = [] } = loaded;
  const { requirements } = demands;
  return {
    ok: true,
    value: { layers, requirements, warnings, trustLevel, rootTrustLevel, projectFolders },
  };
}

export function featuresOf(
  { running }: ConfigContext,
  { features }: ConfigValues,
  requirements: Requirements | null,
): Map<string, boolean> {
  return featureStates({ ...features, ...requirements?.values.features }, running);
}
