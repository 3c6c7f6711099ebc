/**
 * Replaces what differs from run to run by names: ids by order of first appearance, so that equal ids stay equal;
 * times, paths, ports and this machine's name by fixed words.
 */
import { hostname } from "node:os";
import { isObject, pointerOf } from "../support/json.ts";
import { globToRegExp } from "./glob.ts";
import type { Known } from "./placeholders.ts";
import { type Entry, entryName, type Recording } from "./recording.ts";
import type { Scenario } from "./scenario.ts";

const TIME_KEY = /(?:At|AtMs|_at|_at(?:_unix)?_ms|[dD]urationMs|duration_ms)$/u;

/** JSON in base64, as cursors are: opaque to clients, but the ids in it change from run to run. */
const OPAQUE = /^eyJ[\w-]+$/u;

type Unsteady = Pick<Scenario, "volatile" | "races">;

export function normalise(recording: Recording, known: Known, unsteady: Unsteady = {}): Recording {
  const names = createNames(known);
  const masks = (unsteady.volatile ?? []).map(({ message, pointer }) => ({
    message: globToRegExp(message),
    pointer: globToRegExp(pointer),
  }));

  function walk(value: unknown, path: readonly string[], entry: Entry): unknown {
    const pointer = pointerOf(path);
    const name = entryName(entry);
    if (masks.some((mask) => mask.message.test(name) && mask.pointer.test(pointer))) return maskOf(value);
    if (typeof value === "string") return path.at(-1) === "processId" ? "<process>" : names.text(value);
    if (isRequestId(entry, path, value)) return names.request(value);
    if (typeof value === "number") return TIME_KEY.test(path.at(-1) ?? "") ? "<time>" : value;
    if (Array.isArray(value)) return value.map((each, index) => walk(each, [...path, String(index)], entry));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      // Sorted, because the order in which ids are first seen must not depend on the order of members.
      Object.keys(value)
        .sort()
        .map((key) => [names.text(key), walk(value[key], [...path, key], entry)]),
    );
  }

  const entries = recording.entries
    .filter((entry) => !isAboutThisMachine(entry) && !(unsteady.races ?? []).includes(entry.key))
    .map((entry) => ({ ...entry, value: walk(entry.value, [], entry) }));
  return { ...recording, entries };
}

/** Where a server begins to number its own requests is its own business; that they are the same ones is not. */
function isRequestId(entry: Entry, path: readonly string[], value: unknown): value is string | number {
  if (typeof value !== "string" && typeof value !== "number") return false;
  const pointer = pointerOf(path);
  if (entry.key === "serverRequest/resolved") return pointer === "/params/requestId";
  return entry.sent?.kind === "request" && pointer === "/id";
}

/** A volatile member keeps its type, so that a number in one recording and a string in the other still differ. */
function maskOf(value: unknown): string {
  return value === null ? "<null>" : Array.isArray(value) ? "<array>" : `<${typeof value}>`;
}

/** The peer warns once where no bubblewrap is installed: that says something about the machine, not about a server. */
function isAboutThisMachine(entry: Entry): boolean {
  return entry.key === "configWarning" && JSON.stringify(entry.value).includes("could not find bubblewrap");
}

function createNames(known: Known) {
  const numbered = {
    uuid: new Map<string, number>(),
    sha256: new Map<string, number>(),
    request: new Map<string, number>(),
  };
  const host = hostname();
  const fixed = [
    [known.get("home"), "<home>"],
    [known.get("workspace"), "<workspace>"],
    [known.get("user"), "<user>"],
    [known.get("root"), "<root>"],
    [known.get("model"), "<model>"],
  ].filter((pair): pair is [string, string] => typeof pair[0] === "string");

  function numberOf(kind: keyof typeof numbered, text: string): string {
    const seen = numbered[kind];
    const number = seen.get(text) ?? seen.size + 1;
    seen.set(text, number);
    return `<${kind}:${number}>`;
  }

  function text(value: string): string {
    if (value === host) return "<host>";
    if (OPAQUE.test(value)) return `<opaque ${text(Buffer.from(value, "base64url").toString("utf8"))}>`;
    let named = value;
    for (const [part, name] of fixed) named = named.replaceAll(part, name);
    return named
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, (id) => numberOf("uuid", id))
      .replace(/(?<=sha256:)[0-9a-f]{64}/gu, (hash) => numberOf("sha256", hash))
      .replace(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?Z?/gu, "<time>")
      .replace(/sessions\/\d{4}\/\d\d\/\d\d/gu, "sessions/<date>")
      .replace(/(?<=<current_date>)\d{4}-\d\d-\d\d/gu, "<date>")
      .replace(/(?<=Chunk ID: )[0-9a-f]{6}/gu, "<chunk>")
      .replace(/(?<=(?:[Ww]all time|Duration): )\d+(?:\.\d+)?/gu, "<time>")
      .replace(/(?<="session_id":)\d+/gu, "<process>")
      .replace(/(?<=running with session ID )\d+/gu, "<process>")
      .replace(/(?<=127\.0\.0\.1:)\d+/gu, "<port>");
  }

  return { text, request: (id: string | number) => numberOf("request", String(id)) };
}
