// One object through which a server reads, explains and writes its configuration. Files are looked at
// again whenever something is asked, so that an edit by hand counts at once.
import path from "node:path";
import type {
  ConfigBatchWriteParams,
  ConfigReadParams,
  ConfigRequirementsReadResponse,
  ConfigValueWriteParams,
  ConfigWriteResponse,
} from "../protocol/generated/types.ts";
import {
  type ConfigContext,
  type ContextInput,
  createContext,
  loadAll,
  requirementsOf,
} from "./config-context.ts";
import { type ConfigResult, failure } from "./config-error.ts";
import { type Effective, type EffectiveRequest, getEffective } from "./get-effective.ts";
import { type ConfigReadResult, readConfig } from "./read-config.ts";
import { reportStartup, type StartupReport } from "./startup-report.ts";
import { trustProject } from "./trust-project.ts";
import { writeConfig } from "./write-config.ts";

export interface BatchWritten {
  readonly response: ConfigWriteResponse;
  /** Whether threads that are loaded take the change over. */
  readonly reloadThreads: boolean;
}

export interface Configuration {
  readonly home: string;
  /** The file that writes go to. */
  readonly userFile: string;
  startup(): Promise<StartupReport>;
  effective(request?: EffectiveRequest): Promise<ConfigResult<Effective>>;
  read(params: ConfigReadParams): Promise<ConfigResult<ConfigReadResult>>;
  write(params: ConfigValueWriteParams): Promise<ConfigResult<ConfigWriteResponse>>;
  batchWrite(params: ConfigBatchWriteParams): Promise<ConfigResult<BatchWritten>>;
  requirements(): Promise<ConfigResult<ConfigRequirementsReadResponse>>;
  /** Marks the repository around `cwd`, or the folder itself, as trusted; answers which one. */
  trustProject(cwd: string): Promise<ConfigResult<string>>;
  /** Switches features until the server ends; a file or flag that names one goes first. */
  setFeatures(enablement: Readonly<Record<string, boolean>>): void;
  /** The version of the file that writes go to. */
  version(): Promise<ConfigResult<string>>;
}

export function createConfiguration(input: ContextInput): Configuration {
  const context = createContext(input);
  const { settings, cwd, files, loader, createId, running, exclusively } = context;
  const baseFile = path.join(settings.home, "config.toml");
  return {
    home: settings.home,
    userFile: loader.userFile,
    startup: () => startup(context),
    effective: (request = {}) => getEffective(context, request),
    read: (params) => readConfig(context, params),
    write: ({ keyPath, value, mergeStrategy, ...rest }) =>
      exclusively(() => writeConfig(context, { edits: [{ keyPath, value, mergeStrategy }], ...rest })),
    batchWrite: (params) => exclusively(() => batchWrite(context, params)),
    requirements: async () => (await import("./describe-requirements.ts")).readRequirements(context),
    trustProject: (folder) =>
      exclusively(() => trustProject({ folder: path.resolve(cwd, folder), file: baseFile, files, createId })),
    setFeatures(enablement) {
      for (const [name, enabled] of Object.entries(enablement)) running.set(name, enabled);
    },
    version: () => userVersion(context),
  };
}

async function startup(context: ConfigContext): Promise<StartupReport> {
  const { loader, cwd, settings, evaluate } = context;
  const [loaded, requirements] = await Promise.all([loader.load({ cwd }), requirementsOf(context)]);
  return reportStartup({ loaded, requirements, strict: settings.strict, evaluate });
}

/** Defaults of new threads: a write that only changes these leaves running ones alone. */
const SESSION_DEFAULTS = [
  "model",
  "model_reasoning_effort",
  "plan_mode_reasoning_effort",
  "service_tier",
  "personality",
];

async function batchWrite(
  context: ConfigContext,
  params: ConfigBatchWriteParams,
): Promise<ConfigResult<BatchWritten>> {
  const written = await writeConfig(context, params);
  if (!written.ok) return written;
  const { edits, reloadUserConfig = false } = params;
  const onlyDefaults = edits.length > 0 && edits.every(({ keyPath }) => SESSION_DEFAULTS.includes(keyPath));
  return { ok: true, value: { response: written.value, reloadThreads: reloadUserConfig && !onlyDefaults } };
}

async function userVersion(context: ConfigContext): Promise<ConfigResult<string>> {
  const loaded = await loadAll(context, {});
  if (!loaded.ok) return failure(`failed to load configuration: ${loaded.error.message}`);
  const layer = loaded.value.layers.findLast(({ source }) => source.type === "user");
  return layer === undefined ? failure("user layer not found") : { ok: true, value: layer.version };
}
