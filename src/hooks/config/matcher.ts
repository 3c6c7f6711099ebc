/** Matches a hook against the subject of an event: a tool or agent name, a cause, a reason. */
import type { HookDialect } from "../configured-hook.ts";
import { hookEventOf } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";
import { compilePattern } from "./pattern/compile-pattern.ts";

export interface Matcher {
  /** The matcher text as written; null without a matcher or where the event has no subject. */
  readonly matcher: string | null;
  readonly matches: (subjects: readonly string[]) => boolean;
}

export type ParsedMatcher =
  | ({ readonly ok: true } & Matcher)
  | { readonly ok: false; readonly reason: string };

/** A matcher of only these characters is a list of exact names, not a pattern. */
const EXACT_NAMES: Readonly<Record<HookDialect, RegExp>> = {
  codex: /^[A-Za-z0-9_|]+$/u,
  claude: /^[A-Za-z0-9_|, -]+$/u,
};

const always = () => true;

export function parseMatcher(
  event: HookEventName,
  written: string | null,
  dialect: HookDialect = "codex",
): ParsedMatcher {
  if (written === null || hookEventOf(event).subjectsOf === null)
    return { ok: true, matcher: null, matches: always };
  if (written === "" || written === "*") return { ok: true, matcher: written, matches: always };
  if (EXACT_NAMES[dialect].test(written)) {
    const names = dialect === "codex" ? new Set(written.split("|")) : namesIn(written);
    return { ok: true, matcher: written, matches: (subjects) => subjects.some((name) => names.has(name)) };
  }
  const compiled = compilePattern(written);
  if (!compiled.ok) return compiled;
  return { ok: true, matcher: written, matches: (subjects) => subjects.some(compiled.matches) };
}

/** Agent names may contain spaces and tool names may not: each entry counts whole and split at spaces. */
function namesIn(written: string): ReadonlySet<string> {
  const names = written.split(/[|,]/u).map((name) => name.trim());
  return new Set([...names, ...names.flatMap((name) => name.split(" "))].filter((name) => name !== ""));
}
