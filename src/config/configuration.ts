/**
 * Reads, explains and writes a server's configuration. Files are checked for changes on every call, so that
 * manual edits take effect immediately.
 */
import path from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { statOf } from "../base/file-system.ts";
import type { StatOf } from "../base/tick-stats.ts";
import type {
  ConfigBatchWriteParams,
  ConfigReadParams,
  ConfigRequirementsReadResponse,
  ConfigValueWriteParams,
  ConfigWriteResponse,
} from "../protocol/generated/types.ts";
import { type ConfigContext, type ContextInput, createContext, requirementsOf } from "./config-context.ts";
import type { ConfigResult } from "./config-error.ts";
import { createEffectiveReader, type Effective, type EffectiveRequest } from "./get-effective.ts";
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
  /** Marks the repository around `cwd`, or the folder itself, as trusted; returns which one. */
  trustProject(cwd: string): Promise<ConfigResult<string>>;
  /** Sets feature flags until the server ends; a file or flag that names one takes precedence. */
  setFeatures(enablement: Readonly<Record<string, boolean>>): void;
}

export function createConfiguration(input: ContextInput): Configuration {
  const context = createContext(input);
  const { settings, cwd, files, loader, createId, running, exclusively } = context;
  const baseFile = path.join(settings.home, "config.toml");
  const readEffective = createEffectiveReader(context);
  return {
    home: settings.home,
    userFile: loader.userFile,
    startup: () => startup(context),
    effective: (request = {}) => readEffective(request),
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

export interface OpenConfigOptions {
  /** Created if it does not exist; see `resolveHome`. */
  readonly home: string;
  /** The user's home folder, for paths that begin with `~/`. */
  readonly userHome: string;
  /** The working directory of the server. */
  readonly cwd: string;
  readonly systemDir?: string;
  readonly flags?: SessionFlags;
  /** Applies `<home>/<profile>.config.toml` on top of the user's file; writes then go there. */
  readonly profile?: string | undefined;
  /** Unknown keys prevent the server from starting. */
  readonly strict?: boolean;
  /** Ignores the user's files. */
  readonly ignoresUserFile?: boolean;
  /** Whether a sandboxed command may have written the file. */
  readonly isWritten?: (path: string) => boolean;
  /** Looks for the folders of projects. */
  readonly stat?: StatOf;
  readonly clock?: Clock;
  /** Names for temporary files. */
  readonly createId: () => string;
}

export type OpenedConfig = { ok: true; config: Configuration } | { ok: false; message: string };

/** Validates the command line and prepares the home folder; reads no configuration file yet. */
export async function openConfig(options: OpenConfigOptions): Promise<OpenedConfig> {
  const { profile, flags = {}, cwd, userHome, systemDir = "/etc/codex", strict = false } = options;
  const { isWritten = () => false, ignoresUserFile = false, stat = statOf } = options;
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
  const files = { home: prepared.home, userHome, systemDir, profile, ignoresUserFile, isWritten, stat };
  const settings = { ...files, overrides, strict };
  const { clock = systemClock, createId } = options;
  return { ok: true, config: createConfiguration({ settings, cwd, clock, createId }) };
}
