/**
 * One object through which a server reads, explains and writes its configuration. Files are looked at again whenever
 * something is asked, so that an edit by hand counts at once.
 */
import path from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
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
import { prepareHome } from "./home.ts";
import { trustProject } from "./project-trust.ts";
import { type ConfigReadResult, readConfig } from "./read-config.ts";
import { parseFlags, type SessionFlags } from "./session-flags.ts";
import { reportStartup, type StartupReport } from "./startup-report.ts";
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

export interface ConfigOptions {
  /** Created if it does not exist; see `resolveHome`. */
  readonly home: string;
  /** The user's own home folder, for paths that begin with `~/`. */
  readonly userHome: string;
  /** The working directory of the server. */
  readonly cwd: string;
  readonly systemDir?: string;
  readonly flags?: SessionFlags;
  /** Lays `<home>/<profile>.config.toml` over the user's file; writes then go there. */
  readonly profile?: string | undefined;
  /** Unknown keys keep the server from starting. */
  readonly strict?: boolean;
  /** Leaves out the files of the user. */
  readonly ignoresUserFile?: boolean;
  /** Whether a file may be the work of a confined command. */
  readonly isWritten?: (path: string) => boolean;
  readonly clock?: Clock;
  /** Names for files that are written beside others. */
  readonly createId: () => string;
}

export type OpenedConfig = { ok: true; config: Configuration } | { ok: false; message: string };

/** Checks what the command line says and prepares the home folder; reads no file of the configuration yet. */
export async function openConfig(options: ConfigOptions): Promise<OpenedConfig> {
  const { profile, flags = {}, cwd, userHome, systemDir = "/etc/codex", strict = false } = options;
  const { isWritten = () => false, ignoresUserFile = false } = options;
  if (profile !== undefined && !/^[A-Za-z0-9_-]+$/.test(profile)) {
    return {
      ok: false,
      message: `invalid --profile value \`${profile}\`; pass a plain name such as \`work\``,
    };
  }
  const parsed = parseFlags(flags);
  if (!parsed.ok) return parsed;
  const prepared = prepareHome(options.home);
  if (!prepared.ok) return prepared;
  const { overrides } = parsed;
  const files = { home: prepared.home, userHome, systemDir, profile, ignoresUserFile, isWritten };
  const settings = { ...files, overrides, strict };
  const { clock = systemClock, createId } = options;
  return { ok: true, config: createConfiguration({ settings, cwd, clock, createId }) };
}
