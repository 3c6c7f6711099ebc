// The skill settings of the configuration, and the skills that they disable.

import { realpath } from "node:fs/promises";
import { isObject, type JsonObject } from "../base/json-object.ts";
import { rootMarkersOf } from "../config/project-root.ts";
import type { ConfigLayerSource } from "../protocol/generated/types.ts";
import type { Skill } from "./skill.ts";

export interface SkillSettings {
  /** The `.codex` folders of the project, trusted or not, the nearest first. */
  readonly projectFolders: readonly string[];
  /** Names that mark the root of a project, such as `.git`. */
  readonly projectRootMarkers: readonly string[];
  /** `skills.bundled.enabled`: whether to list the skills in `skills/.system`. */
  readonly bundled: boolean;
  /** `[[skills.config]]` of the user's file and then of the command line, in order. */
  readonly rules: readonly SkillRule[];
}

/** Enables or disables skills by name or by the absolute path of a SKILL.md; a rule with both or neither is ignored. */
export interface SkillRule {
  readonly name?: string;
  readonly path?: string;
  readonly enabled: boolean;
}

export type SkillSettingsResult =
  | { readonly ok: true; readonly settings: SkillSettings }
  | { readonly ok: false; readonly message: string };

/** A configuration layer. */
export interface SkillConfigLayer {
  readonly source: ConfigLayerSource;
  /** With absolute paths. */
  readonly table: JsonObject;
  /** Why the values are ignored, for example in an untrusted folder; its skills are still listed. */
  readonly disabledReason?: string;
}

/** Merges the layers, given in increasing precedence. */
export function toSkillSettings(layers: readonly SkillConfigLayer[]): SkillSettings {
  const active = layers.filter(({ disabledReason }) => disabledReason === undefined);
  const nonProject = active.filter(({ source }) => source.type !== "project");
  const markers = lastDefined(nonProject, (table) => table["project_root_markers"]);
  return {
    projectFolders: layers
      .flatMap(({ source }) => (source.type === "project" ? [source.dotCodexFolder] : []))
      .toReversed(),
    projectRootMarkers: rootMarkersOf({ project_root_markers: markers }),
    bundled:
      lastDefined(active, (table) => tableAt(tableAt(table, "skills"), "bundled")["enabled"]) !== false,
    // A project may add skills, but not disable those of the user.
    rules: active
      .filter(({ source }) => source.type === "user" || source.type === "sessionFlags")
      .flatMap(({ table }) => rulesOf(tableAt(table, "skills")["config"])),
  };
}

function lastDefined(layers: readonly SkillConfigLayer[], read: (table: JsonObject) => unknown): unknown {
  return layers.map(({ table }) => read(table)).findLast((value) => value !== undefined);
}

function rulesOf(config: unknown): SkillRule[] {
  if (!Array.isArray(config)) return [];
  return config.flatMap((rule: unknown) => {
    if (!isObject(rule) || typeof rule["enabled"] !== "boolean") return [];
    const { name, path, enabled } = rule;
    return {
      enabled,
      ...(typeof name === "string" && { name }),
      ...(typeof path === "string" && { path }),
    };
  });
}

function tableAt(table: JsonObject, key: string): JsonObject {
  const value = table[key];
  return isObject(value) ? value : {};
}

/** The paths of the skills that the rules disable; a later rule takes precedence. */
export async function disabledPaths(
  rules: readonly SkillRule[],
  skills: readonly Skill[],
): Promise<ReadonlySet<string>> {
  const disabled = new Set<string>();
  for (const rule of await latestRules(rules)) {
    const paths =
      rule.by === "path"
        ? [rule.value]
        : skills.filter((skill) => skill.name === rule.value).map((skill) => skill.path);
    for (const path of paths) {
      if (rule.enabled) disabled.delete(path);
      else disabled.add(path);
    }
  }
  return disabled;
}

interface Selector {
  readonly by: "name" | "path";
  readonly value: string;
}

/** A later rule for the same skill replaces the earlier one, and moves to the end. */
async function latestRules(rules: readonly SkillRule[]): Promise<(Selector & { enabled: boolean })[]> {
  const latest = new Map<string, Selector & { enabled: boolean }>();
  const selectors = await Promise.all(rules.map(selectorOf));
  for (const [index, { enabled }] of rules.entries()) {
    const selector = selectors[index] ?? null;
    if (selector === null) continue;
    const key = `${selector.by}:${selector.value}`;
    latest.delete(key);
    latest.set(key, { ...selector, enabled });
  }
  return [...latest.values()];
}

/** The normalized selector of a rule, which is equal for two rules for the same skill. */
export async function selectorOf(rule: {
  readonly name?: unknown;
  readonly path?: unknown;
}): Promise<Selector | null> {
  const name = typeof rule.name === "string" ? rule.name.trim() : "";
  const path = typeof rule.path === "string" ? rule.path : null;
  if (path !== null && rule.name === undefined) {
    return { by: "path", value: await realpath(path).catch(() => path) };
  }
  return path === null && name !== "" ? { by: "name", value: name } : null;
}
