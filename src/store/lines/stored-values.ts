// Parts of items whose file form differs from the wire form, in both directions.
import { pathToFileURL } from "node:url";
import {
  numberMember,
  objectMember,
  objectsMember,
  textMember,
  textsMember,
  withoutNulls,
} from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { toCamel, toSnake } from "../../base/letter-case.ts";
import type {
  CollabAgentState,
  CollabAgentStatus,
  CommandAction,
  FileUpdateChange,
  MemoryCitation,
  PatchChangeKind,
  UserInput,
  WebSearchAction,
} from "../../protocol/generated/types.ts";

export function storeUserInput(input: UserInput): JsonObject {
  switch (input.type) {
    case "text": {
      const elements = (input.text_elements ?? []).map(({ byteRange, placeholder }) => ({
        byte_range: byteRange,
        placeholder: placeholder ?? null,
      }));
      return { type: "text", text: input.text, text_elements: elements };
    }
    case "image": {
      const source = "url" in input ? { image_url: input.url } : { file_id: input.fileId };
      return withoutNulls({ type: "image", ...source, detail: input.detail });
    }
    case "localImage":
      return withoutNulls({ type: "local_image", path: input.path, detail: input.detail });
    case "audio":
      return { type: "audio", audio_url: input.url };
    case "localAudio":
      return { type: "local_audio", path: input.path };
    default:
      return { ...input };
  }
}

export function readUserInput(stored: JsonObject): UserInput {
  const type = textMember(stored, "type");
  const detail = { detail: textMember(stored, "detail") } as { detail: null };
  const path = textMember(stored, "path") ?? "";
  switch (type) {
    case "image": {
      const fileId = textMember(stored, "file_id");
      return fileId === null
        ? { type, url: textMember(stored, "image_url") ?? "", ...detail }
        : { type, fileId, ...detail };
    }
    case "local_image":
      return { type: "localImage", ...detail, path };
    case "audio":
      return { type, url: textMember(stored, "audio_url") ?? "" };
    case "local_audio":
      return { type: "localAudio", path };
    case "skill":
    case "mention":
      return { type, name: textMember(stored, "name") ?? "", path };
    default:
      return {
        type: "text",
        text: textMember(stored, "text") ?? "",
        text_elements: readTextElements(stored),
      };
  }
}

export function readTextElements(stored: JsonObject) {
  return objectsMember(stored, "text_elements").map((element) => {
    const range = objectMember(element, "byte_range") ?? {};
    return {
      byteRange: { start: numberMember(range, "start") ?? 0, end: numberMember(range, "end") ?? 0 },
      placeholder: textMember(element, "placeholder"),
    };
  });
}

export function storeAction(action: CommandAction): JsonObject {
  const { type, command, ...rest } = action;
  return { type: toSnake(type), cmd: command, ...rest };
}

export function readAction(stored: JsonObject, cwd: string): CommandAction {
  const command = textMember(stored, "cmd") ?? "";
  const path = textMember(stored, "path");
  switch (textMember(stored, "type")) {
    case "read": {
      const resolved =
        path === null || path.startsWith("/") ? (path ?? cwd) : `${cwd.replace(/\/$/, "")}/${path}`;
      return { type: "read", command, name: textMember(stored, "name") ?? "", path: resolved };
    }
    case "list_files":
      return { type: "listFiles", command, path };
    case "search":
      return { type: "search", command, query: textMember(stored, "query"), path };
    default:
      return { type: "unknown", command };
  }
}

/** On the wire, the diff of a moved file ends with its new path. */
function movedNote(path: string | null): string {
  return path === null ? "" : `\n\nMoved to: ${path}`;
}

export function storeChanges(changes: readonly FileUpdateChange[]): JsonObject {
  return Object.fromEntries(
    changes.map(({ path, kind, diff }) => {
      if (kind.type !== "update") return [path, { type: kind.type, content: diff }];
      const note = movedNote(kind.move_path);
      const unified = note !== "" && diff.endsWith(note) ? diff.slice(0, -note.length) : diff;
      return [path, { type: "update", unified_diff: unified, move_path: kind.move_path }];
    }),
  );
}

export function readChanges(stored: JsonObject): FileUpdateChange[] {
  const changes = Object.entries(stored).flatMap(([path, change]) => {
    if (!isObject(change)) return [];
    const move = textMember(change, "move_path");
    const type = textMember(change, "type");
    const kind: PatchChangeKind =
      type === "add" || type === "delete" ? { type } : { type: "update", move_path: move };
    const content =
      kind.type === "update" ? textMember(change, "unified_diff") : textMember(change, "content");
    return [{ path, kind, diff: (content ?? "") + (kind.type === "update" ? movedNote(move) : "") }];
  });
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}

export function storeWebAction(action: WebSearchAction): JsonObject {
  return withoutNulls({ ...action, type: toSnake(action.type) });
}

export function readWebAction(stored: JsonObject): WebSearchAction {
  const url = textMember(stored, "url");
  switch (toCamel(textMember(stored, "type") ?? "")) {
    case "search": {
      const queries = Array.isArray(stored["queries"]) ? textsMember(stored, "queries") : null;
      return { type: "search", query: textMember(stored, "query"), queries };
    }
    case "openPage":
      return { type: "openPage", url };
    case "findInPage":
      return { type: "findInPage", url, pattern: textMember(stored, "pattern") };
    default:
      return { type: "other" };
  }
}

export function storeCitation({ threadIds, ...rest }: MemoryCitation): JsonObject {
  return { ...rest, rolloutIds: threadIds };
}

export function readCitation(stored: JsonObject): MemoryCitation {
  const entries = objectsMember(stored, "entries").map((entry) => ({
    path: textMember(entry, "path") ?? "",
    lineStart: numberMember(entry, "lineStart") ?? 0,
    lineEnd: numberMember(entry, "lineEnd") ?? 0,
    note: textMember(entry, "note") ?? "",
  }));
  return { entries, threadIds: textsMember(stored, "rolloutIds") };
}

export function storeDuration(durationMs: number | null): JsonObject | null {
  if (durationMs === null) return null;
  const secs = Math.floor(durationMs / 1000);
  return { secs, nanos: Math.round((durationMs - secs * 1000) * 1e6) };
}

export function readDuration(stored: JsonObject): number | null {
  const duration = objectMember(stored, "duration");
  if (duration === null) return null;
  return (
    (numberMember(duration, "secs") ?? 0) * 1000 + Math.floor((numberMember(duration, "nanos") ?? 0) / 1e6)
  );
}

/** Some paths are stored as `file:` URLs. */
export function storePath(path: string): string {
  return path.startsWith("/") ? pathToFileURL(path).href : path;
}

export function readPath(text: string): string {
  if (!text.startsWith("file://")) return text;
  const path = text.slice("file://".length);
  try {
    return decodeURIComponent(path);
  } catch {
    // A URL with a stray percent sign was never encoded.
    return path;
  }
}

// The state of other agents: `running` or `{"completed": "text"}` in the files, one object on the wire.

const STATUSES: ReadonlySet<string> = new Set<CollabAgentStatus>([
  "pendingInit",
  "running",
  "interrupted",
  "completed",
  "errored",
  "shutdown",
  "notFound",
]);

export function storeAgentStates(states: { readonly [threadId: string]: CollabAgentState }): JsonObject {
  return Object.fromEntries(Object.entries(states).map(([threadId, state]) => [threadId, storeState(state)]));
}

export function readAgentStates(stored: JsonObject): { [threadId: string]: CollabAgentState } {
  return Object.fromEntries(Object.entries(stored).map(([threadId, state]) => [threadId, readState(state)]));
}

function storeState({ status, message }: CollabAgentState): unknown {
  if (status === "completed") return { completed: message };
  if (status === "errored") return { errored: message ?? "" };
  return toSnake(status);
}

function readState(stored: unknown): CollabAgentState {
  const [name, message] = isObject(stored) ? (Object.entries(stored)[0] ?? []) : [stored, null];
  const status = toCamel(typeof name === "string" ? name : "");
  return {
    status: STATUSES.has(status) ? (status as CollabAgentStatus) : "notFound",
    message: typeof message === "string" ? message : null,
  };
}
