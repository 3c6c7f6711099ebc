/** Loads the rules files of the home, the project and the machine, and appends rules. */
import { isUtf8 } from "node:buffer";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readdirSync,
  readSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, osErrorText } from "../../base/errors.ts";
import { statOf } from "../../base/file-system.ts";
import { type FileRefusal, openToAppendSync } from "../../base/open-regular-file.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import { parseRules } from "./parse-rules.ts";
import { matchRules, mergeRules, NO_RULES, type RuleSet, strictest, withAllowedPrefix } from "./rule-set.ts";
import type { RulesFault } from "./rules-fault.ts";

/** The rules of one thread: loaded once, and extended by permanent approvals of its user. */
export interface RuleBook {
  rules(): RuleSet;
  readonly faults: readonly RulesFault[];
  /** Allows a command prefix, now and for later threads. The file is written before the rules in memory change. */
  allow(prefix: readonly string[]): Promise<void>;
}

export interface RuleBookOptions {
  readonly home: string;
  /** Folders of the trusted config layers, from lowest to highest precedence. */
  readonly configFolders: readonly string[];
  /** The administrator's rules, which files cannot override. */
  readonly required?: RuleSet;
}

export async function openRuleBook(options: RuleBookOptions): Promise<RuleBook> {
  const loaded = await loadRules(options.configFolders);
  let rules = mergeRules(loaded.rules, options.required ?? NO_RULES);
  let pendingWrite: Promise<void> = Promise.resolve();

  const path = join(options.home, "rules", "default.rules");

  async function write(prefix: readonly string[]): Promise<void> {
    try {
      if (prefix.length === 0) throw new Error("prefix rule requires at least one token");
      await appendRuleLine(path, allowRuleLine(prefix));
    } catch (error) {
      throw new Error(`failed to update rules file ${path}: ${messageOf(error)}`, { cause: error });
    }
    const matches = matchRules(rules, prefix);
    if (strictest(matches.map(({ rule }) => rule.decision)) !== "allow")
      rules = withAllowedPrefix(rules, prefix, path);
  }

  return {
    rules: () => rules,
    faults: loaded.faults,
    allow(prefix) {
      const done = pendingWrite.then(() => write(prefix));
      pendingWrite = done.catch(() => {});
      return done;
    },
  };
}

export interface LoadedRules {
  readonly rules: RuleSet;
  readonly faults: readonly RulesFault[];
}

const EXTENSION = ".rules";
/** A larger file is rejected as a whole. */
const MAX_RULES_BYTES = 1_048_576;

/**
 * Loads `rules/*.rules` of each config folder, in order. If any file has an error, all allow rules are dropped, because
 * the unread part might have forbidden the command; rules that prompt or forbid still apply.
 */
export async function loadRules(configFolders: readonly string[]): Promise<LoadedRules> {
  let rules = NO_RULES;
  const faults: RulesFault[] = [];
  for (const folder of configFolders) {
    for (const path of await findRulesFiles(join(folder, "rules"), faults)) {
      const source = await readSource(path, faults);
      if (source === null) continue;
      const parsed = parseRules(source, rules);
      if (!parsed.ok) faults.push({ path, range: parsed.range, message: parsed.message });
      const prefixRules = parsed.rules.prefixRules.map((rule) => ({ ...rule, file: path }));
      rules = mergeRules(rules, { ...parsed.rules, prefixRules });
    }
  }
  return { rules: faults.length === 0 ? rules : withoutAllowRules(rules), faults };
}

function withoutAllowRules(rules: RuleSet): RuleSet {
  return {
    ...rules,
    prefixRules: rules.prefixRules.filter(({ decision }) => decision !== "allow"),
    networkRules: rules.networkRules.filter(({ decision }) => decision !== "allow"),
  };
}

async function findRulesFiles(folder: string, faults: RulesFault[]): Promise<string[]> {
  try {
    // Most folders have no rules, and a thrown error costs more than two stats.
    if (!statSync(folder, { throwIfNoEntry: false }) && statOf(dirname(folder))?.isDirectory() !== false)
      return [];
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter(
        (entry) => entry.isFile() && entry.name.length > EXTENSION.length && entry.name.endsWith(EXTENSION),
      )
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      faults.push({
        path: folder,
        range: null,
        message: `failed to read rules files: ${osErrorText(error)}`,
      });
    return [];
  }
}

async function readSource(path: string, faults: RulesFault[]): Promise<string | null> {
  const read = await readRegularFile(path, { maxBytes: MAX_RULES_BYTES, from: "own" });
  if (read.kind === "read" && isUtf8(read.bytes)) return new TextDecoder("utf-8").decode(read.bytes);
  const message = read.kind === "read" ? "rules file is not UTF-8" : reasonOf(read);
  faults.push({ path, range: null, message });
  return null;
}

function reasonOf({ reason, message }: FileRefusal): string {
  return reason === "tooLarge" ? `rules file is larger than ${MAX_RULES_BYTES} bytes` : message;
}

export function allowRuleLine(prefix: readonly string[]): string {
  const words = prefix.map((word) => JSON.stringify(word)).join(", ");
  return `prefix_rule(pattern=[${words}], decision="allow")`;
}

/** Appends the line atomically and at most once. Other servers may append to the same file concurrently. */
export async function appendRuleLine(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const text = await readIfExists(path);
  if (text.split("\n").includes(line)) return;
  const added = `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`;
  const file = openToAppendSync(path, 0o600);
  try {
    writeFileSync(file, added);
    fsyncSync(file);
  } catch (error) {
    rollBack(file, text, added);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Truncates a partial line, which a full disk may leave, because it would make the whole file invalid. */
function rollBack(file: number, before: string, added: string): void {
  const start = Buffer.byteLength(before);
  const rest = Buffer.alloc(Math.max(0, fstatSync(file).size - start));
  const found = rest.subarray(0, readSync(file, rest, 0, rest.length, start));
  if (Buffer.from(added).subarray(0, found.length).equals(found)) ftruncateSync(file, start);
}

async function readIfExists(path: string): Promise<string> {
  const read = await readRegularFile(path, { maxBytes: MAX_RULES_BYTES, from: "own" });
  if (read.kind === "read") return read.bytes.toString("utf8");
  if (read.reason === "missing") return "";
  throw new Error(read.message);
}
