/** Checks the rollout files of a home: every line must be complete, in order, and never change. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject, parseJson } from "../support/json.ts";
import { Violation } from "../support/violation.ts";

/** The state of a file at the previous check. */
type Seen = { readonly size: number; readonly text: string; readonly nextOrdinal: number };

export type RolloutFiles = {
  /** Throws a violation for a fault in a file that changed since the previous call. */
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
  // Bytes after the last line break were cut off by the kill.
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
