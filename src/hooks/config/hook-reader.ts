/**
 * The current hooks of one working folder: rediscovered after any of their files changes, otherwise the
 * cached object.
 */
import path from "node:path";
import { type Awaitable, whenReady } from "../../base/awaitable.ts";
import type { Clock } from "../../base/clock.ts";
import { type FileStats, isSettled, stampOf, statOrNull } from "../../base/file-stamp.ts";
import { oncePerLoopTurn } from "../../base/tasks.ts";
import { checkMountResponsive } from "../../base/thread-pool.ts";
import type { ConfigResult } from "../../config/config-error.ts";
import type { ParsedFiles } from "../../config/file-cache.ts";
import type { Effective } from "../../config/get-effective.ts";
import { findClaudeSettings } from "./claude-settings.ts";
import { findDisabledHooks } from "./disabled-hooks.ts";
import { type DiscoveredHooks, discoverHooks, hooksFolder, NO_HOOKS } from "./discover-hooks.ts";
import type { HooksFile } from "./hooks-file.ts";
import type { SettingsFile } from "./settings-file.ts";

export interface HookReader {
  /** Returns the previous hooks where the configuration cannot be read. */
  current(): Awaitable<DiscoveredHooks>;
}

export interface HookReaderOptions {
  /** Re-reads the effective configuration from its files. */
  readonly effective: () => Promise<ConfigResult<Effective>>;
  /** The effective configuration as last read. */
  readonly initial: Effective;
  readonly cwd: string;
  readonly files: ParsedFiles<HooksFile>;
  readonly settingsFiles: ParsedFiles<SettingsFile>;
  /** The folder that contains the user's own Claude Code settings. */
  readonly userHome: string;
  /** Called before each read of Claude Code settings, so that callers can protect the files. */
  readonly onClaudeRead: () => void;
  /** Whether a sandboxed command could have written the file. */
  readonly isSandboxWritable: (path: string) => boolean;
  /** Files watched besides those of the layers. */
  readonly otherFiles: readonly string[];
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
}

interface CachedHooks {
  readonly hooks: DiscoveredHooks;
  readonly snapshot: Snapshot;
  /** Takes the same snapshot again. */
  readonly takeSnapshot: () => Snapshot;
  readonly takenAt: number;
}

/**
 * How long hooks are reused although one of their files was modified too recently for its timestamps to be
 * reliable. Events follow one another within milliseconds, and discovery takes as long.
 */
const FRESH_MS = 100;

export function createHookReader(options: HookReaderOptions): HookReader {
  const { clock, cwd } = options;
  let cached: CachedHooks | null = null;

  /** The first call reuses the configuration that the thread was resolved with. */
  async function nextEffective(): Promise<ConfigResult<Effective>> {
    return cached === null ? { ok: true, value: options.initial } : options.effective();
  }

  function isCurrent({ snapshot, takeSnapshot, takenAt }: CachedHooks): boolean {
    if (!snapshot.isStable && clock.monotonic() - takenAt >= FRESH_MS) return false;
    return takeSnapshot().stamps === snapshot.stamps;
  }

  function unreadable(message: string): DiscoveredHooks {
    return { ...(cached?.hooks ?? NO_HOOKS), errors: [{ path: cwd, message }] };
  }

  function current(): Awaitable<DiscoveredHooks> {
    return whenReady(checkMountResponsive(cwd), (unresponsive) => {
      if (unresponsive !== null) return unreadable(unresponsive);
      return cached !== null && isCurrent(cached) ? cached.hooks : discover();
    });
  }

  async function discover(): Promise<DiscoveredHooks> {
    const takenAt = clock.monotonic();
    const read = await nextEffective();
    if (!read.ok) return unreadable(read.error.message);
    const hooks = await findHooks(read.value, options);
    const watched = watchedPaths(read.value, options);
    // A file that changes during discovery has a recent timestamp, so that the next call checks it again.
    cached = {
      hooks,
      snapshot: snapshotOf(watched, clock),
      // A turn has five events, most of which follow one another at once, and many threads share these hooks.
      takeSnapshot: oncePerLoopTurn(() => snapshotOf(watched, clock)).get,
      takenAt,
    };
    return hooks;
  }

  return { current };
}

export function findHooks(
  effective: Effective,
  options: Pick<
    HookReaderOptions,
    "cwd" | "files" | "settingsFiles" | "userHome" | "onClaudeRead" | "isSandboxWritable" | "platform"
  >,
): Promise<DiscoveredHooks> {
  const { layers, requirements, bypassesHookTrust } = effective;
  const { files, settingsFiles, isSandboxWritable, platform } = options;
  const claudePaths = findClaudeSettings(effective, options);
  if (claudePaths !== null) options.onClaudeRead();
  return discoverHooks({
    layers,
    requirements,
    off: findDisabledHooks(effective),
    bypassesTrust: bypassesHookTrust,
    readHooksFile: files.read,
    claude: claudePaths === null ? null : { paths: claudePaths, read: settingsFiles.read, isSandboxWritable },
    platform,
  });
}

interface Watched {
  readonly files: readonly string[];
  /** Checked only for existence. */
  readonly folders: readonly string[];
  /** Folders of several of the files: where one is missing, one stat stands for all of its files. */
  readonly shared: readonly string[];
}

/** Fewer files cost no more stats than their folder and they. */
const SHARED_BY = 3;

function watchedPaths(effective: Effective, options: HookReaderOptions): Watched {
  const files = new Set(options.otherFiles);
  for (const { path } of findClaudeSettings(effective, options)?.files ?? []) files.add(path);
  for (const layer of effective.layers) {
    const { source } = layer;
    if ("file" in source) files.add(source.file);
    if (source.type === "project") files.add(path.join(source.dotCodexFolder, "config.toml"));
    const folder = hooksFolder(layer);
    if (folder === null) continue;
    files.add(path.join(folder, "config.toml"));
    files.add(path.join(folder, "hooks.json"));
  }
  const folders = [...files].map((file) => path.dirname(file));
  const countOf = (folder: string) => folders.filter((other) => other === folder).length;
  return {
    files: [...files],
    shared: [...new Set(folders)].filter((folder) => countOf(folder) >= SHARED_BY),
    folders: effective.projectFolders.map((folder) => path.join(folder, ".codex")),
  };
}

interface Snapshot {
  readonly stamps: string;
  /** Whether the timestamps are old enough that any further write would change them. */
  readonly isStable: boolean;
}

function snapshotOf({ files, folders, shared }: Watched, clock: Clock): Snapshot {
  const nowMs = clock.now();
  const missing = shared.filter((folder) => statOrNull(folder) === null);
  let isStable = true;
  const stamp = (target: string, toStamp: (stats: FileStats) => string): string => {
    const stats = missing.includes(path.dirname(target)) ? null : statOrNull(target);
    if (stats === null) return "missing";
    isStable &&= isSettled(stats, nowMs);
    return toStamp(stats);
  };
  const stamps = [
    ...files.map((file) => stamp(file, stampOf)),
    ...folders.map((folder) => stamp(folder, ({ dev, ino }) => `${dev}:${ino}`)),
  ];
  return { stamps: stamps.join("\n"), isStable };
}
