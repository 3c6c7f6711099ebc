/** The hooks of one place as its files say now: found anew after a change of any of them, and else the same object. */
import { type BigIntStats, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { ConfigResult } from "../../config/config-error.ts";
import { isSettled, type ParsedFiles, stampOf } from "../../config/file-cache.ts";
import type { Effective } from "../../config/get-effective.ts";
import { claudePlaces } from "./claude-settings.ts";
import { type DiscoveredHooks, discoverHooks, hooksFolder, NO_HOOKS } from "./discover-hooks.ts";
import type { HooksFile } from "./hooks-file.ts";
import type { SettingsFile } from "./settings-file.ts";
import { switchedOff } from "./switched-off.ts";

export interface HookSource {
  /** What was known stays in force where the configuration cannot be read. */
  current(): Promise<DiscoveredHooks>;
}

export interface HookSourceOptions {
  /** The configuration of the place, read from its files. */
  readonly effective: () => Promise<ConfigResult<Effective>>;
  /** The same as it was read last. */
  readonly initial: Effective;
  readonly cwd: string;
  readonly files: ParsedFiles<HooksFile>;
  readonly settingsFiles: ParsedFiles<SettingsFile>;
  /** Where the user's own settings of Claude Code are. */
  readonly userHome: string;
  /** Called each time before settings of Claude Code are read, for those who keep them as they are. */
  readonly onClaudeRead: () => void;
  /** Whether a confined command could have written a file. */
  readonly isSandboxWritable: (path: string) => boolean;
  /** Files that count beside those of the layers. */
  readonly otherFiles: readonly string[];
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
}

interface Known {
  readonly hooks: DiscoveredHooks;
  readonly watched: Watched;
  /** Null where one of the files may change again without showing it. */
  readonly stamps: Promise<string | null>;
  /** Those of the server's own files, also of such that were changed a moment ago. */
  readonly own: string;
  /** When all of the files were looked at. */
  readonly checkedAt: number;
}

export function createHookSource(options: HookSourceOptions): HookSource {
  let known: Known | null = null;

  /** The first time it is the one that the thread was resolved with. */
  async function nextEffective(): Promise<ConfigResult<Effective>> {
    return known === null ? { ok: true, value: options.initial } : options.effective();
  }

  async function current(): Promise<DiscoveredHooks> {
    const { clock } = options;
    if (known !== null && isFresh(known, clock)) return known.hooks;
    if (known !== null && (await isUnchanged(known, clock))) {
      known = { ...known, checkedAt: clock.monotonic() };
      return known.hooks;
    }
    const checkedAt = clock.monotonic();
    const read = await nextEffective();
    if (!read.ok) {
      const errors = [{ path: options.cwd, message: read.error.message }];
      return { ...(known?.hooks ?? NO_HOOKS), errors };
    }
    const hooks = await findHooks(read.value, options);
    const watched = watchedPaths(read.value, options);
    // What has changed while it was read has changed a moment ago, and is then looked at again.
    known = { hooks, stamps: stampsOf(watched, clock), watched, own: ownStamps(watched), checkedAt };
    return hooks;
  }

  return { current };
}

export function findHooks(
  effective: Effective,
  options: Pick<
    HookSourceOptions,
    "cwd" | "files" | "settingsFiles" | "userHome" | "onClaudeRead" | "isSandboxWritable" | "platform"
  >,
): Promise<DiscoveredHooks> {
  const { layers, requirements, bypassesHookTrust } = effective;
  const { files, settingsFiles, isSandboxWritable, platform } = options;
  const places = claudePlaces(effective, options);
  if (places !== null) options.onClaudeRead();
  return discoverHooks({
    layers,
    requirements,
    off: switchedOff(effective),
    bypassesTrust: bypassesHookTrust,
    readHooksFile: files.read,
    claude: places === null ? null : { places, read: settingsFiles.read, isSandboxWritable },
    platform,
  });
}

/**
 * How long what was found counts for files of the project, and for those that were changed a moment ago. Several events
 * follow one another within milliseconds, and asking takes as long.
 */
const FRESH_MS = 100;

function isFresh({ watched, own, checkedAt }: Known, clock: Clock): boolean {
  return clock.monotonic() - checkedAt < FRESH_MS && ownStamps(watched) === own;
}

function ownStamps({ own }: Watched): string {
  return own.map((file) => stampNow(file, stampOf)).join("\n");
}

async function isUnchanged({ watched, stamps }: Known, clock: Clock): Promise<boolean> {
  const [before, after] = await Promise.all([stamps, stampsOf(watched, clock)]);
  return before !== null && before === after;
}

interface Watched {
  /** Of the home and the system, which the server cannot do without: asked for on the spot, because that is fast. */
  readonly own: readonly string[];
  /** Of the project, which may lie where nobody answers. */
  readonly project: readonly string[];
  /** Of which it only matters whether they are there. */
  readonly folders: readonly string[];
}

function watchedPaths(effective: Effective, options: HookSourceOptions): Watched {
  const { layers, projectFolders } = effective;
  const own = new Set(options.otherFiles);
  const project = new Set<string>();
  for (const { path, source } of claudePlaces(effective, options)?.files ?? []) {
    (source === "project" ? project : own).add(path);
  }
  for (const layer of layers) {
    const { source } = layer;
    const paths = source.type === "project" ? project : own;
    if ("file" in source) paths.add(source.file);
    if (source.type === "project") paths.add(path.join(source.dotCodexFolder, "config.toml"));
    const folder = hooksFolder(layer);
    if (folder === null) continue;
    paths.add(path.join(folder, "config.toml"));
    paths.add(path.join(folder, "hooks.json"));
  }
  const folders = projectFolders.map((folder) => path.join(folder, ".codex"));
  return { own: [...own], project: [...project], folders };
}

/** Null where one of the files was changed a moment ago. */
async function stampsOf({ own, project, folders }: Watched, clock: Clock): Promise<string | null> {
  const stampOfFile = (stats: BigIntStats) => (isSettled(stats, clock) ? stampOf(stats) : null);
  const stampOfFolder = (stats: BigIntStats) =>
    isSettled(stats, clock) ? `${stats.dev}:${stats.ino}` : null;
  const stamps = [
    ...own.map((file) => stampNow(file, stampOfFile)),
    ...(await Promise.all([
      ...project.map((file) => stampLater(file, stampOfFile)),
      ...folders.map((folder) => stampLater(folder, stampOfFolder)),
    ])),
  ];
  return stamps.includes(null) ? null : stamps.join("\n");
}

const MISSING = "missing";

type ToStamp = (stats: BigIntStats) => string | null;

function stampNow(file: string, toStamp: ToStamp): string | null {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? MISSING : toStamp(stats);
  } catch {
    return MISSING;
  }
}

async function stampLater(file: string, toStamp: ToStamp): Promise<string | null> {
  const stats = await stat(file, { bigint: true }).catch(() => null);
  return stats === null ? MISSING : toStamp(stats);
}
