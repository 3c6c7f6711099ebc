/** The hooks of one place as its files say now: found anew after a change of any of them, and else the same object. */
import { type BigIntStats, statSync } from "node:fs";
import path from "node:path";
import type { Clock } from "../../base/clock.ts";
import { oncePerTick } from "../../base/tasks.ts";
import { checkMountResponsive } from "../../base/thread-pool.ts";
import type { ConfigResult } from "../../config/config-error.ts";
import { isStable, type ParsedFiles, stampOf } from "../../config/file-cache.ts";
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
  readonly look: Look;
  /** The same as it is now. */
  readonly lookAgain: () => Look;
  readonly lookedAt: number;
}

/**
 * How long what was found counts for files that were changed a moment ago. Several events follow one another within
 * milliseconds, and finding hooks takes as long.
 */
const FRESH_MS = 100;

export function createHookSource(options: HookSourceOptions): HookSource {
  const { clock, cwd } = options;
  let known: Known | null = null;

  /** The first time it is the one that the thread was resolved with. */
  async function nextEffective(): Promise<ConfigResult<Effective>> {
    return known === null ? { ok: true, value: options.initial } : options.effective();
  }

  function isCurrent({ look, lookAgain, lookedAt }: Known): boolean {
    if (!look.isStable && clock.monotonic() - lookedAt >= FRESH_MS) return false;
    return lookAgain().stamps === look.stamps;
  }

  function unreadable(message: string): DiscoveredHooks {
    return { ...(known?.hooks ?? NO_HOOKS), errors: [{ path: cwd, message }] };
  }

  async function current(): Promise<DiscoveredHooks> {
    const unresponsive = await checkMountResponsive(cwd);
    if (unresponsive !== null) return unreadable(unresponsive);
    if (known !== null && isCurrent(known)) return known.hooks;
    const lookedAt = clock.monotonic();
    const read = await nextEffective();
    if (!read.ok) return unreadable(read.error.message);
    const hooks = await findHooks(read.value, options);
    const watched = watchedPaths(read.value, options);
    // What has changed while it was read has changed a moment ago, and is then looked at again.
    known = {
      hooks,
      look: lookAt(watched, clock),
      // A turn has five events, most of which follow one another without a pause.
      lookAgain: oncePerTick(() => lookAt(watched, clock)).get,
      lookedAt,
    };
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

interface Watched {
  readonly files: readonly string[];
  /** Of which it only matters whether they are there. */
  readonly folders: readonly string[];
}

function watchedPaths(effective: Effective, options: HookSourceOptions): Watched {
  const files = new Set(options.otherFiles);
  for (const { path } of claudePlaces(effective, options)?.files ?? []) files.add(path);
  for (const layer of effective.layers) {
    const { source } = layer;
    if ("file" in source) files.add(source.file);
    if (source.type === "project") files.add(path.join(source.dotCodexFolder, "config.toml"));
    const folder = hooksFolder(layer);
    if (folder === null) continue;
    files.add(path.join(folder, "config.toml"));
    files.add(path.join(folder, "hooks.json"));
  }
  return {
    files: [...files],
    folders: effective.projectFolders.map((folder) => path.join(folder, ".codex")),
  };
}

interface Look {
  readonly stamps: string;
  /** Whether none of the files may change again without showing it. */
  readonly isStable: boolean;
}

function lookAt({ files, folders }: Watched, clock: Clock): Look {
  let stable = true;
  const stamp = (place: string, toStamp: (stats: BigIntStats) => string): string => {
    const stats = statNow(place);
    if (stats === null) return "missing";
    stable &&= isStable(stats, clock);
    return toStamp(stats);
  };
  const stamps = [
    ...files.map((file) => stamp(file, stampOf)),
    ...folders.map((folder) => stamp(folder, ({ dev, ino }) => `${dev}:${ino}`)),
  ];
  return { stamps: stamps.join("\n"), isStable: stable };
}

function statNow(place: string): BigIntStats | null {
  try {
    return statSync(place, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
