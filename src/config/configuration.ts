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
import { type ConfigContext, type ContextInput, createContext, requirementsOf } from "./config-context.ts";
import type { ConfigResult } from "./config-error.ts";
import { type Effective, type EffectiveRequest, getEffective } from "./get-effective.ts";
import { type ConfigReadResult, readConfig } from "./read-config.ts";
import { reportStartup, type StartupReport } from "./startup-report.ts";
import { trustProject } from "./trust-project.ts";
import { writeConfig } from "./write-config.ts";

export interface Configuration {
  readonly home: string;
  /** The file that writes go to. */
  readonly userFile: string;
  startup(): Promise<StartupReport>;
  effective(request?: EffectiveRequest): Promise<ConfigResult<Effective>>;
  read(params: ConfigReadParams): Promise<ConfigResult<ConfigReadResult>>;
  write(params: ConfigValueWriteParams): Promise<ConfigResult<ConfigWriteResponse>>;
  batchWrite(params: ConfigBatchWriteParams): Promise<ConfigResult<ConfigWriteResponse>>;
  requirements(): Promise<ConfigResult<ConfigRequirementsReadResponse>>;
  /** Marks the repository around `cwd`, or the folder itself, as trusted; answers which one. */
  trustProject(cwd: string): Promise<ConfigResult<string>>;
  /** Switches features until the server ends; a file or flag that names one goes first. */
  setFeatures(enablement: Readonly<Record<string, boolean>>): void;
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
    batchWrite: (params) => exclusively(() => writeConfig(context, params)),
    requirements: async () => (await import("./describe-requirements.ts")).readRequirements(context),
    trustProject: (folder) =>
      exclusively(() => trustProject({ folder: path.resolve(cwd, folder), file: baseFile, files, createId })),
    setFeatures(enablement) {
      for (const [name, enabled] of Object.entries(enablement)) running.set(name, enabled);
    },
  };
}

async function startup(context: ConfigContext): Promise<StartupReport> {
  const { loader, cwd, settings, evaluate } = context;
  const [loaded, requirements] = await Promise.all([loader.load({ cwd }), requirementsOf(context)]);
  return reportStartup({ loaded, requirements, strict: settings.strict, evaluate });
}
