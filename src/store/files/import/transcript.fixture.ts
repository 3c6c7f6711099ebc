// Handwritten transcripts in the formats of several versions of Claude Code.
import { isObject, type JsonObject } from "../../../base/json-object.ts";
import { Converter } from "./converter.ts";
import { parseEntry } from "./transcript-entry.ts";
import type { DatedLine } from "./turn-writer.ts";

export const SESSION = "5b6f2a04-9c1e-4d7a-8f33-2f0c6a1b9e55";
export const STARTED = Date.UTC(2026, 2, 4, 10, 0, 0);
export const THREAD = "019cb9c6-ce00-7000-8000-000000000000";

/** Numbers the entries of a transcript, and chains each to the one before it. */
export function transcript(version = "2.1.12") {
  let count = 0;
  let last: string | null = null;
  const entry = (type: string, members: JsonObject): JsonObject => {
    count += 1;
    const uuid = `entry-${count}`;
    const made = {
      parentUuid: last,
      isSidechain: false,
      userType: "external",
      cwd: "/repo",
      sessionId: SESSION,
      version,
      gitBranch: "main",
      type,
      uuid,
      timestamp: new Date(STARTED + count * 1000).toISOString(),
      ...members,
    };
    last = uuid;
    return made;
  };
  return {
    entry,
    user: (content: unknown, members: JsonObject = {}) =>
      entry("user", { message: { role: "user", content }, ...members }),
    assistant: (content: unknown, members: JsonObject = {}) =>
      entry("assistant", {
        message: { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-4-5", content },
        requestId: "req_1",
        ...members,
      }),
    use: (id: string, name: string, input: JsonObject) => ({ type: "tool_use", id, name, input }),
    result: (id: string, content: unknown, isError = false) => ({
      type: "tool_result",
      tool_use_id: id,
      content,
      is_error: isError,
    }),
  };
}

/** A session with a command, an edit, a search, reasoning and a call of an MCP server. */
export function currentSession(): JsonObject[] {
  const t = transcript();
  return [
    { type: "queue-operation", operation: "dequeue", sessionId: SESSION },
    { type: "file-history-snapshot", messageId: "entry-1", snapshot: {} },
    t.user("List the files"),
    t.assistant([{ type: "thinking", thinking: "A listing will do.", signature: "c2ln" }]),
    t.assistant([{ type: "text", text: "I list them." }]),
    t.assistant([t.use("toolu_1", "Bash", { command: "ls -a", description: "List" })]),
    t.user([t.result("toolu_1", "README.md\nsrc")], {
      toolUseResult: { stdout: "README.md\nsrc", stderr: "", interrupted: false },
    }),
    t.assistant([
      t.use("toolu_2", "Edit", { file_path: "/repo/README.md", old_string: "a", new_string: "b" }),
      t.use("toolu_3", "mcp__docs__find", { query: "heddle" }),
    ]),
    t.user([t.result("toolu_2", "The file has been updated.")], {
      toolUseResult: {
        filePath: "/repo/README.md",
        structuredPatch: [{ oldStart: 4, oldLines: 2, newStart: 4, newLines: 2, lines: [" x", "-a", "+b"] }],
      },
    }),
    t.user([t.result("toolu_3", [{ type: "text", text: "nothing" }], true)]),
    t.assistant([{ type: "text", text: "Done." }]),
    { type: "ai-title", aiTitle: "Listing of files", sessionId: SESSION },
    t.user([
      { type: "text", text: "<system-reminder>Be careful.</system-reminder>" },
      { type: "text", text: "And this picture?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
    ]),
    t.assistant([t.use("toolu_4", "Read", { file_path: "/repo/src" })]),
    t.user([t.result("toolu_4", "[Request interrupted by user for tool use]", true)]),
    t.user([{ type: "text", text: "[Request interrupted by user for tool use]" }]),
  ];
}

export function jsonl(entries: readonly unknown[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

export interface Converted {
  readonly lines: readonly DatedLine[];
  readonly skipped: readonly string[];
}

export function convert(entries: readonly unknown[]): Converted {
  const skipped: string[] = [];
  const onSkip = (reason: string): void => void skipped.push(reason);
  const converter = new Converter({ threadId: THREAD, createdAtMs: STARTED, cwd: "/repo", onSkip });
  for (const entry of entries) {
    const parsed = parseEntry(JSON.stringify(entry));
    if (parsed.kind === "entry") converter.take(parsed.entry);
  }
  converter.finish();
  return { lines: converter.drain(), skipped };
}

/** The input of the next model request, after compactions. */
export function modelHistory({ lines }: Converted): JsonObject[] {
  let items: JsonObject[] = [];
  for (const { body } of lines) {
    if (body.type === "response_item") items.push(body.payload);
    if (body.type === "compacted") items = [...(body.payload.replacement_history ?? [])];
  }
  return items;
}

/** The stored items that clients see. */
export function shown({ lines }: Converted): JsonObject[] {
  return lines.flatMap(({ body }) => {
    const item = body.type === "event_msg" ? body.payload["item"] : null;
    return isObject(item) ? [item] : [];
  });
}
