// The skills that apply in each folder. The contents of a root are cached until they change, so that folders with a
// common root share the scan.

import { sep } from "node:path";
import { boundedMap } from "../base/bounded-map.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { WatchFolder } from "../base/watch-folder.ts";
import { FolderWatches } from "./folder-watches.ts";
import type { Skill, SkillFault } from "./skill.ts";
import {
  findSkillRoots,
  type SkillFolders,
  type SkillRoot,
  type SkillRootContents,
  scanSkillRoot,
} from "./skill-roots.ts";
import { disabledPaths, type SkillSettingsResult } from "./skill-settings.ts";

/** The number of cached roots. */
export const MAX_CACHED_ROOTS = 256;
/** The delay after a change, so that related changes cause one notification. */
export const DEBOUNCE_MS = 100;
const CONCURRENT_SCANS = 8;
/** The minimum interval between two change notifications. */
export const CHANGE_INTERVAL_MS = 1000;

export interface SkillCatalogOptions extends SkillFolders {
  readonly settingsFor: (cwd: string) => Promise<SkillSettingsResult>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly watchFolder?: WatchFolder;
}

export interface CatalogSkill extends Skill {
  readonly enabled: boolean;
}

export interface SkillListing {
  /** Ordered by scope, name and path. */
  readonly skills: readonly CatalogSkill[];
  readonly faults: readonly SkillFault[];
}

export type SkillListingResult =
  | { readonly ok: true; readonly listing: SkillListing }
  | { readonly ok: false; readonly message: string };

interface CachedRoot extends SkillRoot {
  /** The cached scan; null if it is outdated. */
  contents: Promise<SkillRootContents> | null;
}

export class SkillCatalog {
  readonly #options: SkillCatalogOptions;
  /** By scope and path, in order of last use. */
  readonly #roots = new Map<string, CachedRoot>();
  readonly #watches: FolderWatches;
  readonly #listeners = new Set<() => void>();
  /** By folder, the lists whose load has not started. */
  readonly #pending = new Map<string, Promise<SkillListingResult>>();
  #extraRoots: readonly string[] = [];
  #revision = 0;
  #watching = false;
  #lastNotifiedAt = Number.NEGATIVE_INFINITY;
  #cancelNotice: (() => void) | null = null;

  constructor(options: SkillCatalogOptions) {
    this.#options = options;
    const { log, watchFolder } = options;
    this.#watches = new FolderWatches({
      log,
      onChange: (root) => this.#rootChanged(root),
      ...(watchFolder !== undefined && { watchFolder }),
    });
  }

  /**
   * The skills that apply in a folder, given by its absolute path. Callers of the same tick share one load, which starts
   * after all of them have called, so that no caller gets an outdated list.
   */
  list(cwd: string): Promise<SkillListingResult> {
    const pending = this.#pending.get(cwd);
    if (pending !== undefined) return pending;
    const listing = nextImmediate().then(() => {
      this.#pending.delete(cwd);
      return this.#load(cwd);
    });
    this.#pending.set(cwd, listing);
    return listing;
  }

  async #load(cwd: string): Promise<SkillListingResult> {
    const result = await this.#options.settingsFor(cwd);
    if (!result.ok) return result;
    const { settings } = result;
    const roots = await findSkillRoots({ ...this.#options, cwd, settings, extraRoots: this.#extraRoots });
    const contents = await boundedMap(roots, CONCURRENT_SCANS, (root) => this.#contentsOf(root));
    const skills = sortUnique(contents.flatMap((root) => root.skills));
    const disabled = await disabledPaths(settings.rules, skills);
    return {
      ok: true,
      listing: {
        skills: skills.map((skill) => ({ ...skill, enabled: !disabled.has(skill.path) })),
        faults: contents.flatMap((root) => root.faults),
      },
    };
  }

  /** Increases whenever a list may be outdated. */
  get revision(): number {
    return this.#revision;
  }

  /** Invalidates the cache. */
  refresh(): void {
    this.#revision += 1;
    for (const root of this.#roots.values()) root.contents = null;
  }

  /** Starts watching for changes on disk, for lists from now on. */
  watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    this.refresh();
  }

  /** Replaces the extra roots and notifies listeners. */
  setExtraRoots(roots: readonly string[]): void {
    for (const [key, { path }] of this.#roots) {
      if (this.#extraRoots.includes(path) && !roots.includes(path)) this.#evict(key, path);
    }
    this.#extraRoots = [...roots];
    this.refresh();
    this.#notify();
  }

  /** Calls `listener` when a list may be outdated; the returned function unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#watching = false;
    this.#cancelNotice?.();
    this.#cancelNotice = null;
    this.#listeners.clear();
    this.#watches.close();
    this.#roots.clear();
  }

  #contentsOf(root: SkillRoot): Promise<SkillRootContents> {
    const key = `${root.scope}:${root.path}`;
    const cached = this.#roots.get(key) ?? { ...root, contents: null };
    this.#roots.delete(key);
    this.#roots.set(key, cached);
    for (const [oldest, { path }] of this.#roots) {
      if (this.#roots.size <= MAX_CACHED_ROOTS) break;
      this.#evict(oldest, path);
    }
    cached.contents ??= this.#scan(root);
    return cached.contents;
  }

  #evict(key: string, path: string): void {
    this.#roots.delete(key);
    this.#watches.stop(path);
  }

  #scan(root: SkillRoot): Promise<SkillRootContents> {
    const { log } = this.#options;
    if (!this.#watching || root.scope === "system") {
      return scanSkillRoot(root, { log, onFolder: () => {}, onMissing: () => Promise.resolve() });
    }
    const onFolder = this.#watches.restart(root.path);
    return scanSkillRoot(root, { log, onFolder, onMissing: () => this.#watches.awaitRoot(root.path) });
  }

  #rootChanged(path: string): void {
    for (const root of this.#roots.values()) if (root.path === path) root.contents = null;
    this.#revision += 1;
    if (this.#cancelNotice !== null) return;
    const { clock } = this.#options;
    const delay = Math.max(DEBOUNCE_MS, this.#lastNotifiedAt + CHANGE_INTERVAL_MS - clock.now());
    this.#cancelNotice = clock.after(delay, () => this.#notify());
  }

  #notify(): void {
    this.#cancelNotice?.();
    this.#cancelNotice = null;
    this.#lastNotifiedAt = this.#options.clock.now();
    for (const listener of this.#listeners) listener();
  }
}

function nextImmediate(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const SCOPE_ORDER: Readonly<Record<Skill["scope"], number>> = { repo: 0, user: 1, system: 2, admin: 3 };

/** Sorts by scope, name and path; of duplicates the one from the first root is kept. */
function sortUnique(skills: readonly Skill[]): readonly Skill[] {
  const byPath = new Map<string, Skill>();
  for (const skill of skills) if (!byPath.has(skill.path)) byPath.set(skill.path, skill);
  return [...byPath.values()].toSorted(
    (a, b) =>
      SCOPE_ORDER[a.scope] - SCOPE_ORDER[b.scope] ||
      compare(a.name, b.name) ||
      // Paths compare folder by folder: a separator comes before every other character.
      compare(a.path.replaceAll(sep, "\0"), b.path.replaceAll(sep, "\0")),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
