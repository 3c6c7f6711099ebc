// The way into this module: checks what the command line says and prepares the home folder.

import { type Clock, systemClock } from "../base/clock.ts";
import { type Configuration, createConfiguration } from "./configuration.ts";
import { prepareHome } from "./home.ts";
import { parseFlags, type SessionFlags } from "./session-flags.ts";

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
  /** Whether a file may be the work of a confined command. */
  readonly isWritten?: (path: string) => boolean;
  readonly clock?: Clock;
  /** Names for files that are written beside others. */
  readonly createId: () => string;
}

export type OpenedConfig = { ok: true; config: Configuration } | { ok: false; message: string };

/** Reads no file of the configuration yet. */
export async function openConfig(options: ConfigOptions): Promise<OpenedConfig> {
  const { profile, flags = {}, cwd, userHome, systemDir = "/etc/codex", strict = false } = options;
  const { isWritten = () => false } = options;
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
  const settings = { home: prepared.home, userHome, systemDir, profile, overrides, strict, isWritten };
  const { clock = systemClock, createId } = options;
  return { ok: true, config: createConfiguration({ settings, cwd, clock, createId }) };
}
