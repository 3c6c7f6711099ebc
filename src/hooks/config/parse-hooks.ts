/**
 * Parses the hook tables of one file: events, groups, handlers. An invalid handler or group is skipped with a
 * warning that names the file and position; the remaining entries stay valid.
 */
import { isTable } from "../../config/toml/toml-value.ts";
import type { HookDialect } from "../configured-hook.ts";
import { hookEventOf } from "../events/index.ts";
import { HOOK_EVENTS, type HookEventName } from "../hook-event.ts";
import { describeFieldValue } from "./handler-fields.ts";
import { type Matcher, parseMatcher } from "./matcher.ts";
import { type HandlerDefinition, parseHandler } from "./parse-handler.ts";

export interface HookDefinition extends HandlerDefinition, Matcher {
  readonly event: HookEventName;
  /** Positions in the file; skipped entries retain theirs. */
  readonly group: number;
  readonly index: number;
}

export interface ParsedHooks {
  readonly definitions: readonly HookDefinition[];
  readonly warnings: readonly string[];
  /** The subset of warnings about handlers that do not run. */
  readonly failures: readonly string[];
}

export interface HookTables {
  /** Path of the file, or a synthetic one. */
  readonly path: string;
  /** By event, as TOML values; JSON values without a TOML equivalent become null. */
  readonly tables: unknown;
  /** Keys besides event names that are valid. */
  readonly knownKeys?: readonly string[];
  readonly dialect?: HookDialect;
  readonly platform: NodeJS.Platform;
}

export const MAX_HOOKS_PER_FILE = 1000;
const MAX_WARNINGS_PER_FILE = 50;

const EVENTS: Readonly<Record<HookDialect, readonly HookEventName[]>> = {
  codex: HOOK_EVENTS,
  // Claude Code events that Heddle does not implement are skipped.
  claude: HOOK_EVENTS.filter((event) => hookEventOf(event).claude !== null),
};

export function parseHooks(given: HookTables): ParsedHooks {
  const { path, tables, knownKeys = [], dialect = "codex", platform } = given;
  const definitions: HookDefinition[] = [];
  const warnings: string[] = [];
  const failures: string[] = [];
  let count = 0;

  function skip(warning: string): void {
    warnings.push(warning);
    failures.push(warning);
  }

  function readGroup(event: HookEventName, group: number, value: unknown): void {
    const context = `hooks.${event}[${group}]`;
    const where = `${path} (${context})`;
    if (!isTable(value))
      return skip(`skipping hooks in ${where}: expected a table, found ${describeFieldValue(value)}`);
    const { matcher: written = null, hooks = null } = value as { matcher?: unknown; hooks?: unknown };
    const handlers = hooks ?? [];
    if (written !== null && typeof written !== "string") {
      return skip(
        `skipping hooks in ${where}: matcher: expected a string, found ${describeFieldValue(written)}`,
      );
    }
    if (!Array.isArray(handlers)) {
      return skip(
        `skipping hooks in ${where}: hooks: expected a list, found ${describeFieldValue(handlers)}`,
      );
    }
    const matcher = parseMatcher(event, written, dialect);
    if (!matcher.ok) {
      const warning = `invalid matcher ${JSON.stringify(written)} in ${where}: ${matcher.reason}`;
      // A group without handlers skips nothing, so that it is a warning and not a failure.
      return handlers.length === 0 ? void warnings.push(warning) : skip(warning);
    }
    for (const [index, handler] of handlers.entries()) {
      count += 1;
      if (count > MAX_HOOKS_PER_FILE) return;
      const at = `${path} (${context}.hooks[${index}])`;
      const parsed = parseHandler(handler, { event, where: at, dialect, platform });
      if (!parsed.ok) skip(parsed.warning);
      else {
        warnings.push(...parsed.warnings);
        const { matches } = matcher;
        definitions.push({ ...parsed.definition, matcher: matcher.matcher, matches, event, group, index });
      }
    }
  }

  if (!isTable(tables)) {
    skip(`skipping hooks in ${path}: hooks: expected a table, found ${describeFieldValue(tables)}`);
    return { definitions, warnings, failures };
  }
  const unknown = Object.keys(tables).filter((key) => !isKnown(key, EVENTS[dialect], knownKeys));
  warnings.push(...describeUnknown(unknown, path, dialect));
  for (const event of EVENTS[dialect]) {
    const groups = Object.hasOwn(tables, event) ? (tables[event] ?? []) : [];
    if (Array.isArray(groups)) for (const [group, value] of groups.entries()) readGroup(event, group, value);
    else
      skip(
        `skipping hooks in ${path} (hooks.${event}): expected a list, found ${describeFieldValue(groups)}`,
      );
  }
  if (count > MAX_HOOKS_PER_FILE) {
    skip(
      `skipping ${count - MAX_HOOKS_PER_FILE} or more hooks in ${path}: it has more than ${MAX_HOOKS_PER_FILE}`,
    );
  }
  return { definitions, warnings: shorten(warnings, path), failures: shorten(failures, path) };
}

function isKnown(key: string, events: readonly string[], knownKeys: readonly string[]): boolean {
  return events.includes(key) || knownKeys.includes(key);
}

function describeUnknown(keys: readonly string[], path: string, dialect: HookDialect): string[] {
  if (dialect === "codex") {
    const known = HOOK_EVENTS.join(", ");
    return keys.map(
      (key) => `ignoring unknown hook event ${describeFieldValue(key)} in ${path}; events are ${known}`,
    );
  }
  if (keys.length === 0) return [];
  const named = keys.slice(0, MAX_NAMED).map(describeFieldValue).join(", ");
  const rest = keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : "";
  return [`hooks of these events of ${path} do not run, because Heddle does not have them: ${named}${rest}`];
}

const MAX_NAMED = 40;

function shorten(texts: readonly string[], path: string): readonly string[] {
  if (texts.length <= MAX_WARNINGS_PER_FILE) return texts;
  const remaining = texts.length - MAX_WARNINGS_PER_FILE;
  return [...texts.slice(0, MAX_WARNINGS_PER_FILE), `${remaining} more problems with hooks in ${path}`];
}
