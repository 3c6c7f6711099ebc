/** Looks through the rollout files of a home: every line must be whole, in order, and stay as it is. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject, parseJson } from "../support/json.ts";
import { Violation } from "../support/violation.ts";

/** What was seen of a file the last time. */
type Seen = { readonly size: number; readonly text: string; readonly nextOrdinal: number };

export type RolloutFiles = {
  /** Throws a violation for whatever is wrong with a file that has changed since the last call. */
  check(): void;
};

export function createRolloutFiles(home: string): RolloutFiles {
  const seen = new Map<string, Seen>();
  return {
    check() {
      for (const path of listRollouts(home)) {
        const key = basename(path);
        const before = seen.get(key);
        if (before !== undefined && statSync(path).size === before.size) continue;
        seen.set(key, checkFile(path, before));
      }
    },
  };
}

function checkFile(path: string, before: Seen | undefined): Seen {
  const whole = readFileSync(path, "utf8");
  // What follows the last line's end was cut off with the server.
  const text = whole.slice(0, whole.lastIndexOf("\n") + 1);
  if (before !== undefined && !text.startsWith(before.text)) {
    throw new Violation("lines of a rollout have changed or are gone", { path, before: before.text, text });
  }
  let next = before?.nextOrdinal ?? null;
  for (const line of text.slice(before?.text.length ?? 0).split("\n")) {
    if (line === "") continue;
    const parsed = parseJson(line);
    if (!isObject(parsed)) throw new Violation("a line of a rollout is no JSON", { path, line });
    const ordinal = parsed["ordinal"];
    if (typeof ordinal !== "number" || (next !== null && ordinal !== next)) {
      throw new Violation(`a line has ordinal ${String(ordinal)} where ${String(next)} comes next`, {
        path,
        line,
      });
    }
    next = ordinal + 1;
  }
  return { size: Buffer.byteLength(whole), text, nextOrdinal: next ?? 0 };
}

export function listRollouts(home: string): string[] {
  return ["sessions", "archived_sessions"].flatMap((folder) => {
    const root = join(home, folder);
    if (!existsSync(root)) return [];
    return readdirSync(root, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(root, name));
  });
}
