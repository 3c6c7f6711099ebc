import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { AppError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { withOwnProductName } from "../../base/product-name.ts";
import { once } from "../../base/tasks.ts";
import { createTickStats, type StatOf } from "../../base/tick-stats.ts";
import type { Configuration } from "../../config/configuration.ts";
import { prepareHome, resolveHome } from "../../config/home.ts";
import { describeMissingProfile } from "../../config/missing-profile.ts";
import type { SessionFlags } from "../../config/session-flags.ts";
import type { StartupReport } from "../../config/startup-report.ts";
import type { ConfigWarningNotification } from "../../protocol/generated/types.ts";
import { openSandboxWritablePaths, type SandboxWritablePaths } from "../../sandbox/writable-paths.ts";

/** The configuration folder of the administrator. */
export const SYSTEM_FOLDER = "/etc/codex";

/** Sources of a server's configuration besides files. */
export interface ConfigOrigin {
  readonly env: Environment;
  readonly cwd: string;
  /** Configuration from the command line. */
  readonly flags: SessionFlags;
  readonly profile: string | null;
  /** Unknown keys in config.toml keep the server from starting. */
  readonly strictConfig: boolean;
  /**
   * Any fault that makes the configuration unusable keeps the server from starting; otherwise it is reported,
   * and defaults apply.
   */
  readonly needsUsableConfig?: boolean;
  /** Leaves out config.toml of the home, and the profile's. */
  readonly ignoresUserConfig?: boolean;
  /** Leaves out all rules about commands except those of the administrator. */
  readonly ignoresRules?: boolean;
}

export interface ConfigOptions extends ConfigOrigin {
  readonly userHome: string;
  readonly createId: () => string;
  /** Logs the faults of the configuration once. */
  readonly log?: Logger;
}

/**
 * The configuration of a home, read on first use: reading it takes as long as the rest of the start, and
 * `initialize` is answered without it.
 */
export interface ConfigSource {
  readonly home: string;
  /** The paths that sandboxed commands of this home could have written; their content is not trusted. */
  readonly writablePaths: SandboxWritablePaths;
  readonly ignoresRules: boolean;
  /** Looks at each path once in a tick; for the folders of projects, which several parts of a thread look for. */
  readonly stat: StatOf;
  readonly get: () => Promise<Configuration>;
  /** Faults and warnings of the configuration; computed once. */
  readonly startup: () => Promise<StartupReport>;
}

export async function openConfigSource(options: ConfigOptions): Promise<ConfigSource> {
  const prepared = prepareHome(resolveHome(options.env, options.userHome));
  if (!prepared.ok) throw new AppError("config.home", prepared.message);
  const { home } = prepared;
  const writablePaths = openSandboxWritablePaths(join(home, "sandbox"));
  const stat = createTickStats();
  const { get } = once(() => openConfiguration(home, { writablePaths, stat }, options));
  const { get: startup } = once(async () => {
    const report = await (await get()).startup();
    if (report.ok) for (const warning of report.warnings) options.log?.error(inOneText(warning));
    return report;
  });
  if (mayRefuseToStart(options)) {
    const fault = await findRefusal(home, await get(), options);
    if (fault !== null) throw new AppError("config.invalid", fault);
  }
  return { home, writablePaths, ignoresRules: options.ignoresRules === true, stat, get, startup };
}

/** Why this configuration forbids a start, and how to fix it; null if it does not. */
async function findRefusal(
  home: string,
  config: Configuration,
  { profile, needsUsableConfig = false }: ConfigOptions,
): Promise<string | null> {
  const report = await config.startup();
  const fault = report.ok ? report.warnings.find(({ details }) => details !== null)?.details : report.message;
  if (needsUsableConfig && typeof fault === "string")
    return `${fault.trimEnd()}\ncorrect ${config.userFile} or the command line, and start again`;
  if (!report.ok) return report.message;
  return profile === null ? null : describeMissingProfile(home, profile);
}

function inOneText({ summary, details }: ConfigWarningNotification): string {
  return withOwnProductName(details === null ? summary : `${summary} ${details}`);
}

/**
 * Requirements and the command line can forbid a start; a config.toml only with `strictConfig` or
 * `needsUsableConfig`.
 */
function mayRefuseToStart({ flags, profile, strictConfig, needsUsableConfig }: ConfigOptions): boolean {
  const hasRequirements = existsSync(join(SYSTEM_FOLDER, "requirements.toml"));
  return hasRequirements || strictConfig || needsUsableConfig === true || profile !== null || hasFlags(flags);
}

function hasFlags({ config = [], enable = [], disable = [] }: SessionFlags): boolean {
  return config.length + enable.length + disable.length > 0;
}

async function openConfiguration(
  home: string,
  { writablePaths, stat }: Pick<ConfigSource, "writablePaths" | "stat">,
  options: ConfigOptions,
): Promise<Configuration> {
  const { openConfig } = await import("../../config/configuration.ts");
  const { cwd, userHome, flags, profile, strictConfig, ignoresUserConfig, createId } = options;
  const opened = await openConfig({
    home,
    userHome,
    systemDir: SYSTEM_FOLDER,
    cwd,
    flags,
    profile: profile ?? undefined,
    strict: strictConfig,
    ignoresUserFile: ignoresUserConfig === true,
    isWritten: writablePaths.contains,
    stat,
    createId,
  });
  if (!opened.ok) throw new AppError("config.invalid", opened.message);
  return opened.config;
}
