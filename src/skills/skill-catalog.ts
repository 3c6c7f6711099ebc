// The skills of every folder that somebody asked about. What lies below a root is read once and kept until
// something changes there, so that folders that share a root share the work.

import { sep } from "node:path";
import { boundedMap } from "../base/bounded-map.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { WatchFolder } from "../base/watch-folder.ts";
import { FolderWatches } from "./folder-watches.ts";
import type { Skill, SkillFault } from "./skill.ts";
import {
  findSkillRoots,
  type SkillPlaces,
  type SkillRoot,
  type SkillRootContents,
  scanSkillRoot,
} from "./skill-roots.ts";
import { disabledPaths, type SkillSettingsResult } from "./skill-settings.ts";

/** How many roots are remembered at once. */
export const MAX_KNOWN_ROOTS = 256;
/** How long to wait after a change, so that what belongs together is told once. */
export const SETTLE_MS = 100;
const CONCURRENT_SCANS = 8;
/** The least time between two messages about changes. */
export const CHANGE_INTERVAL_MS = 1000;

export interface SkillCatalogOptions extends SkillPlaces {
  readonly settingsFor: (cwd: string) => Promise<SkillSettingsResult>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly watchFolder?: WatchFolder;
}

export interface ListedSkill extends Skill {
  readonly enabled: boolean;
}

export interface SkillListing {
  /** Ordered by scope, name and path. */
  readonly skills: readonly ListedSkill[];
  readonly faults: readonly SkillFault[];
}

export type SkillListingResult =
  | { readonly ok: true; readonly listing: SkillListing }
  | { readonly ok: false; readonly message: string };

interface KnownRoot extends SkillRoot {
  /** What lies there; null when it has to be looked up again. */
  contents: Promise<SkillRootContents> | null;
}

export class SkillCatalog {
  readonly #options: SkillCatalogOptions;
  /** By scope and path, those that were not asked for longest first. */
  readonly #roots = new Map<string, KnownRoot>();
  readonly #watches: FolderWatches;
  readonly #listeners = new Set<() => void>();
  /** By folder, the lists for which the look has not begun. */
  readonly #asked = new Map<string, Promise<SkillListingResult>>();
  #extraRoots: readonly string[] = [];
  #revision = 0;
  #watching = false;
  #lastTold = Number.NEGATIVE_INFINITY;
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
   * The skills that apply in a folder, given by its absolute path. Whoever asks in the same moment shares one look,
   * which begins when all of them have asked, so that nobody hears of what was there before.
   */
  list(cwd: string): Promise<SkillListingResult> {
    const asked = this.#asked.get(cwd);
    if (asked !== undefined) return asked;
    const listing = endOfMoment().then(() => {
      this.#asked.delete(cwd);
      return this.#look(cwd);
    });
    this.#asked.set(cwd, listing);
    return listing;
  }

  async #look(cwd: string): Promise<SkillListingResult> {
    const result = await this.#options.settingsFor(cwd);
    if (!result.ok) return result;
    const { settings } = result;
    const roots = await findSkillRoots({ ...this.#options, cwd, settings, extraRoots: this.#extraRoots });
    const contents = await boundedMap(roots, CONCURRENT_SCANS, (root) => this.#contentsOf(root));
    const skills = inOrder(contents.flatMap((root) => root.skills));
    const disabled = await disabledPaths(settings.rules, skills);
    return {
      ok: true,
      listing: {
        skills: skills.map((skill) => ({ ...skill, enabled: !disabled.has(skill.path) })),
        faults: contents.flatMap((root) => root.faults),
      },
    };
  }

  /** Becomes another number whenever a list may have become outdated. */
  get revision(): number {
    return this.#revision;
  }

  /** Forgets what was read, so that the next list looks again. */
  refresh(): void {
    this.#revision += 1;
    for (const root of this.#roots.values()) root.contents = null;
  }

  /** From now on changes on disk are noticed, in what is listed from now on. */
  watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    this.refresh();
  }

  /** Replaces the further folders in which to look, and tells so. */
  setExtraRoots(roots: readonly string[]): void {
    for (const [key, { path }] of this.#roots) {
      if (this.#extraRoots.includes(path) && !roots.includes(path)) this.#forget(key, path);
    }
    this.#extraRoots = [...roots];
    this.refresh();
    this.#notify();
  }

  /** Calls `listener` when a list may have become outdated; the returned function ends that. */
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
    const known = this.#roots.get(key) ?? { ...root, contents: null };
    this.#roots.delete(key);
    this.#roots.set(key, known);
    for (const [oldest, { path }] of this.#roots) {
      if (this.#roots.size <= MAX_KNOWN_ROOTS) break;
      this.#forget(oldest, path);
    }
    known.contents ??= this.#scan(root);
    return known.contents;
  }

  #forget(key: string, path: string): void {
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
    const delay = Math.max(SETTLE_MS, this.#lastTold + CHANGE_INTERVAL_MS - clock.now());
    this.#cancelNotice = clock.after(delay, () => this.#notify());
  }

  #notify(): void {
    this.#cancelNotice?.();
    this.#cancelNotice = null;
    this.#lastTold = this.#options.clock.now();
    for (const listener of this.#listeners) listener();
  }
}

function endOfMoment(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const SCOPE_ORDER: Readonly<Record<Skill["scope"], number>> = { repo: 0, user: 1, system: 2, admin: 3 };

/** Each skill once, as the first root that led to it has it. */
function inOrder(skills: readonly Skill[]): readonly Skill[] {
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
