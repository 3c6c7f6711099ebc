/**
 * Reads the `if` of a handler of Claude Code, a rule of permission: the name of a tool, or commands of the shell by
 * their beginning. A command that cannot be told apart is taken for one that is meant, because hooks are guards.
 */
import { isObject } from "../../base/json-object.ts";
import { findWrapper } from "../../policy/commands/wrappers.ts";
import type { HookCondition } from "../configured-hook.ts";
import { describeValue } from "./handler-fields.ts";

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
      (isTooLong(input) || commandsIn(input).some((command) => isUnclear(command) || matches(command))),
  };
}

function unsupported(written: string): ParsedCondition {
  const forms = "expected the name of a tool, or commands such as Bash(git push *)";
  return { ok: false, reason: `${forms}, found ${describeValue(written)}` };
}

/** `git push:*` is the older form of `git push *`, and both mean `git push` as well. */
function parseCommandPattern(specifier: string): (command: string) => boolean {
  const pattern = specifier.replace(/:\*$/u, " *");
  const parts = pattern.split("*").map(normalSpaces);
  const bare = pattern.endsWith(" *") ? parts.slice(0, -1) : null;
  return (command) => {
    if (matchesParts(command, parts) || couldMean(command, parts)) return true;
    if (bare === null) return false;
    const last = (bare.at(-1) ?? "").trimEnd();
    return matchesParts(command, [...bare.slice(0, -1), last]);
  };
}

/** What only a shell can tell: quotes, escapes, expansions, patterns and redirections. */
const NOT_PLAIN = /['"$\\`*?[\]{}()<>|&;!#~]/u;

/** Whether no word that is plain speaks against it: any other may be what the pattern fixes. */
function couldMean(command: string, [first = "", ...others]: readonly string[]): boolean {
  const words = command.split(" ");
  const fixed = first.trimEnd().split(" ");
  const isOpenEnded = others.length > 0 && !first.endsWith(" ");
  for (const [at, wanted] of fixed.entries()) {
    const word = words[at];
    if (word === undefined) return false;
    // The name of the program is looked at by itself.
    if (at > 0 && NOT_PLAIN.test(word)) return true;
    // Some systems do not tell the capitals of programs.
    const found = at === 0 ? word.toLowerCase() : word;
    const expected = at === 0 ? wanted.toLowerCase() : wanted;
    const isSame = isOpenEnded && at === fixed.length - 1 ? found.startsWith(expected) : found === expected;
    if (!isSame) return false;
  }
  const isFree = others.length > 0 && others.every((part) => part.trim() === "");
  return isFree || words.slice(fixed.length).some((word) => NOT_PLAIN.test(word));
}

/** Each part after the one before it, the first at the beginning and the last at the end: each is looked for once. */
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
/** What may stand before the name of a program: words of the shell, and variables for it alone. */
const BEFORE_PROGRAM =
  /^(?:(?:if|then|else|elif|while|until|do|time|!|\{)(?=\s)|[A-Za-z_]\w*=[^\s'"$\\]*(?=\s))\s*/u;
const MAX_PREFIXES = 32;

/** Cutting it into commands would take as much memory for each of them as for a long one. */
const MAX_COMMAND_LENGTH = 1 << 18;

function isTooLong(input: unknown): boolean {
  const text = isObject(input) ? input["command"] : null;
  return typeof text === "string" && text.length > MAX_COMMAND_LENGTH;
}

/** Every command that a text of the shell may hold. Quotes are not looked at: rather one too many than one too few. */
function commandsIn(input: unknown): readonly string[] {
  const text = isObject(input) ? input["command"] : null;
  if (typeof text !== "string") return [];
  return [text, ...text.split(SEPARATORS)].flatMap((part) =>
    withoutFolder(withoutPrefixes(normalSpaces(part).trim())),
  );
}

/** A program that is called by its path is also the one with its name. */
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

/** Whether the name of the program is only known to the shell, or another program is given the name. */
function isUnclear(command: string): boolean {
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
