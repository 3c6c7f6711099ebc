import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { AppError } from "../../base/errors.ts";
import { once } from "../../base/tasks.ts";
import type { Configuration } from "../../config/configuration.ts";
import { prepareHome, resolveHome } from "../../config/home.ts";
import { describeMissingProfile } from "../../config/missing-profile.ts";
import type { SessionFlags } from "../../config/session-flags.ts";
import type { StartupReport } from "../../config/startup-report.ts";
import { openWritablePlaces, type WritablePlaces } from "../../sandbox/writable-places.ts";

/** Where the administrator of the machine keeps configuration. */
export const SYSTEM_FOLDER = "/etc/codex";

/** What the configuration of a server follows from, besides files. */
export interface ConfigOrigin {
  readonly env: Environment;
  readonly cwd: string;
  /** What the command line says about configuration. */
  readonly flags: SessionFlags;
  readonly profile: string | null;
  /** Unknown keys in config.toml keep the server from starting. */
  readonly strictConfig: boolean;
  /** Leaves out config.toml of the home, and the profile's. */
  readonly ignoresUserConfig?: boolean;
  /** Leaves out the rules about commands, but those of the administrator. */
  readonly ignoresRules?: boolean;
}

export interface ConfigOptions extends ConfigOrigin {
  readonly userHome: string;
  readonly createId: () => string;
}

/**
 * The configuration of a home, read when it is first asked for: reading it takes as long as all the
 * rest of a start, and `initialize` is answered without it.
 */
export interface ConfigSource {
  readonly home: string;
  /** What confined commands of this home could write, and nothing is believed of. */
  readonly places: WritablePlaces;
  readonly ignoresRules: boolean;
  readonly get: () => Promise<Configuration>;
  /** What is to be said about the configuration; found out once. */
  readonly startup: () => Promise<StartupReport>;
}

export async function openConfigSource(options: ConfigOptions): Promise<ConfigSource> {
  const prepared = prepareHome(resolveHome(options.env, options.userHome));
  if (!prepared.ok) throw new AppError("config.home", prepared.message);
  const { home } = prepared;
  const places = openWritablePlaces(join(home, "sandbox"));
  const { get } = once(() => openConfiguration(home, places, options));
  const { get: startup } = once(async () => (await get()).startup());
  if (mayRefuseToStart(options)) {
    const report = await startup();
    const { profile } = options;
    const fault = report.ok ? profile !== null && describeMissingProfile(home, profile) : report.message;
    if (typeof fault === "string") throw new AppError("config.invalid", fault);
  }
  return { home, places, ignoresRules: options.ignoresRules === true, get, startup };
}

/** Only demands and the command line can forbid a start; a broken config.toml is reported and worked around. */
function mayRefuseToStart({ flags, profile, strictConfig }: ConfigOptions): boolean {
  const hasDemands = existsSync(join(SYSTEM_FOLDER, "requirements.toml"));
  return hasDemands || strictConfig || profile !== null || hasFlags(flags);
}

function hasFlags({ config = [], enable = [], disable = [] }: SessionFlags): boolean {
  return config.length + enable.length + disable.length > 0;
}

async function openConfiguration(
  home: string,
  places: WritablePlaces,
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
    isWritten: places.cover,
    createId,
  });
  if (!opened.ok) throw new AppError("config.invalid", opened.message);
  return opened.config;
}
