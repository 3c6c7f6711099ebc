/**
 * Parses the `if` of a Claude Code handler, which is a permission rule: a tool name, or shell commands by
 * prefix. A command that cannot be parsed reliably counts as a match, because hooks are guards.
 */
import { isObject } from "../../base/json-object.ts";
import { findWrapper } from "../../policy/commands/wrappers.ts";
import type { HookCondition } from "../configured-hook.ts";
import { describeFieldValue } from "./handler-fields.ts";

export type ParsedCondition =
  | { readonly ok: true; readonly condition: HookCondition }
  | { readonly ok: false; readonly reason: string };

const RULE = /^([A-Za-z][A-Za-z0-9_-]*)(?:\((.*)\))?$/su;
const MAX_RULE_LENGTH = 1024;

export function parseCondition(written: string): ParsedCondition {
  const rule = written.length > MAX_RULE_LENGTH ? null : RULE.exec(written.trim());
  if (rule === null) return unsupported(written);
  const [, name = "", specifier] = rule;
  const isNamed: HookCondition = (subjects) => subjects.includes(name);
  if (specifier === undefined || specifier.trim() === "*") return { ok: true, condition: isNamed };
  if (name !== "Bash" || specifier.trim() === "" || specifier.includes("\\")) return unsupported(written);
  const matches = parseCommandPattern(specifier.trim());
  return {
    ok: true,
    condition: (subjects, input) =>
      isNamed(subjects, input) &&
      (isTooLong(input) || commandsIn(input).some((command) => isUnresolved(command) || matches(command))),
  };
}

function unsupported(written: string): ParsedCondition {
  const forms = "expected the name of a tool, or commands such as Bash(git push *)";
  return { ok: false, reason: `${forms}, found ${describeFieldValue(written)}` };
}

/** `git push:*` is the legacy form of `git push *`; both also match a bare `git push`. */
function parseCommandPattern(specifier: string): (command: string) => boolean {
  const pattern = specifier.replace(/:\*$/u, " *");
  const parts = pattern.split("*").map(normalSpaces);
  const bare = pattern.endsWith(" *") ? parts.slice(0, -1) : null;
  return (command) => {
    if (matchesParts(command, parts) || mayMatch(command, parts)) return true;
    if (bare === null) return false;
    const last = (bare.at(-1) ?? "").trimEnd();
    return matchesParts(command, [...bare.slice(0, -1), last]);
  };
}

/** Characters that only a shell can interpret: quotes, escapes, expansions, globs and redirections. */
const NOT_PLAIN = /['"$\\`*?[\]{}()<>|&;!#~]/u;

/** Whether no plain token contradicts the pattern; a token that is not plain may expand to anything. */
function mayMatch(command: string, [first = "", ...others]: readonly string[]): boolean {
  const tokens = command.split(" ");
  const fixed = first.trimEnd().split(" ");
  const isOpenEnded = others.length > 0 && !first.endsWith(" ");
  for (const [at, fixedToken] of fixed.entries()) {
    const token = tokens[at];
    if (token === undefined) return false;
    // The program name is checked separately.
    if (at > 0 && NOT_PLAIN.test(token)) return true;
    // Some file systems are case-insensitive.
    const found = at === 0 ? token.toLowerCase() : token;
    const expected = at === 0 ? fixedToken.toLowerCase() : fixedToken;
    const isSame = isOpenEnded && at === fixed.length - 1 ? found.startsWith(expected) : found === expected;
    if (!isSame) return false;
  }
  const isFree = others.length > 0 && others.every((part) => part.trim() === "");
  return isFree || tokens.slice(fixed.length).some((token) => NOT_PLAIN.test(token));
}

/**
 * Matches the parts in order, the first as a prefix and the last as a suffix; linear, each part is searched
 * once.
 */
function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

const SEPARATORS = /[;&|\n()`]|\$\(|[<>]\(/u;
/** Tokens that may precede a program name: shell keywords and variable assignments. */
const BEFORE_PROGRAM =
  /^(?:(?:if|then|else|elif|while|until|do|time|!|\{)(?=\s)|[A-Za-z_]\w*=[^\s'"$\\]*(?=\s))\s*/u;
const MAX_PREFIXES = 32;

/** Splitting a longer text would allocate as much memory for each command as for the text. */
const MAX_COMMAND_LENGTH = 1 << 18;

function isTooLong(input: unknown): boolean {
  const text = isObject(input) ? input["command"] : null;
  return typeof text === "string" && text.length > MAX_COMMAND_LENGTH;
}

/**
 * Every command that shell text may contain. Quotes are not parsed: a false match is preferred over a missed
 * one.
 */
function commandsIn(input: unknown): readonly string[] {
  const text = isObject(input) ? input["command"] : null;
  if (typeof text !== "string") return [];
  return [text, ...text.split(SEPARATORS)].flatMap((part) =>
    withoutFolder(withoutPrefixes(normalSpaces(part).trim())),
  );
}

/** A program called by path is also matched by its base name. */
function withoutFolder(command: string): readonly string[] {
  const [program = ""] = command.split(" ", 1);
  return program.includes("/") ? [command, command.slice(program.lastIndexOf("/") + 1)] : [command];
}

function withoutPrefixes(command: string): string {
  let rest = command;
  for (let count = 0; count < MAX_PREFIXES; count += 1) {
    const shorter = rest.replace(BEFORE_PROGRAM, "");
    if (shorter === rest) break;
    rest = shorter;
  }
  return rest;
}

/** Whether only the shell knows the program name, or the program runs another one. */
function isUnresolved(command: string): boolean {
  const [program = ""] = command.split(" ", 1);
  return (
    /['"$\\=<>*?`]|\{.|.\[|[@+!]\(/u.test(program) || RUNNERS.has(program) || findWrapper(program) !== null
  );
}

const RUNNERS: ReadonlySet<string> = new Set(
  "xargs sh bash zsh dash ksh ash fish source . coproc function trap".split(" "),
);

function normalSpaces(text: string): string {
  return text.replaceAll(/\s+/gu, " ");
}
