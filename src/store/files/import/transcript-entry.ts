/**
 * One line of a Claude Code transcript. These files have no published schema and differ between versions, so that
 * parsing is lenient: a member of an unexpected type is absent, an unknown kind of line is bookkeeping.
 */

import { objectMember, textMember } from "../../../base/json-members.ts";
import { isObject, type JsonObject } from "../../../base/json-object.ts";
import { type ContentBlock, readBlocks } from "./content-block.ts";

export interface Envelope {
  readonly uuid: string | null;
  readonly parentUuid: string | null;
  readonly sessionId: string | null;
  /** Null if the timestamp is absent or implausible. */
  readonly atMs: number | null;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly version: string | null;
  /** Whether a sub-agent wrote it. */
  readonly isSidechain: boolean;
}

export interface UserEntry {
  readonly kind: "user";
  readonly envelope: Envelope;
  readonly blocks: readonly ContentBlock[];
  /** Written by the program on behalf of the user. */
  readonly isMeta: boolean;
  /** Queued while the model was running, and sent to it then. */
  readonly isQueued: boolean;
  /** The structured result of a tool, beside the text for the model. */
  readonly toolUseResult: unknown;
}

export type TranscriptEntry =
  | UserEntry
  | {
      readonly kind: "assistant";
      readonly envelope: Envelope;
      readonly blocks: readonly ContentBlock[];
      /** Written by the program on behalf of the model: an error or a placeholder. */
      readonly isNotice: boolean;
      readonly isError: boolean;
    }
  | { readonly kind: "compaction"; readonly envelope: Envelope }
  | { readonly kind: "summary"; readonly envelope: Envelope; readonly text: string }
  | {
      readonly kind: "title";
      readonly title: string;
      readonly origin: TitleOrigin;
      readonly leafUuid: string | null;
    }
  /** Only its position as the parent of other entries matters. */
  | { readonly kind: "bookkeeping"; readonly envelope: Envelope };

/** The author of a title: the user, the program, or a summary, which may be about another session. */
export type TitleOrigin = "user" | "program" | "summary";

export type ParsedEntry =
  | { readonly kind: "entry"; readonly entry: TranscriptEntry }
  | { readonly kind: "blank" }
  | { readonly kind: "bad"; readonly reason: string };

/** Parses one line; never throws. */
export function parseEntry(text: string): ParsedEntry {
  if (text.trim() === "") return { kind: "blank" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "bad", reason: "not JSON" };
  }
  if (!isObject(value)) return { kind: "bad", reason: "not an object" };
  const type = textMember(value, "type");
  if (type === null) return { kind: "bad", reason: "no type" };
  return { kind: "entry", entry: readEntry(value, type) };
}

function readEntry(line: JsonObject, type: string): TranscriptEntry {
  switch (type) {
    case "user":
      return readUser(line);
    case "assistant": {
      const message = objectMember(line, "message") ?? {};
      const isError = line["isApiErrorMessage"] === true;
      const isNotice = isError || textMember(message, "model") === "<synthetic>";
      const blocks = readBlocks(message["content"]);
      return { kind: "assistant", envelope: readEnvelope(line), blocks, isNotice, isError };
    }
    case "compact_boundary":
      return { kind: "compaction", envelope: readEnvelope(line) };
    case "system":
      return textMember(line, "subtype") === "compact_boundary"
        ? { kind: "compaction", envelope: readEnvelope(line) }
        : bookkeeping(line);
    case "attachment":
      return readAttachment(line);
    case "custom-title":
      return readTitle(line, "customTitle", "user");
    case "ai-title":
      return readTitle(line, "aiTitle", "program");
    case "summary":
      return readTitle(line, "summary", "summary");
    default:
      return bookkeeping(line);
  }
}

function readUser(line: JsonObject): TranscriptEntry {
  const envelope = readEnvelope(line);
  const blocks = readBlocks(objectMember(line, "message")?.["content"]);
  if (line["isCompactSummary"] === true) {
    const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    return { kind: "summary", envelope, text };
  }
  const isMeta = line["isMeta"] === true;
  return { kind: "user", envelope, blocks, isMeta, isQueued: false, toolUseResult: line["toolUseResult"] };
}

function readAttachment(line: JsonObject): TranscriptEntry {
  const attachment = objectMember(line, "attachment") ?? {};
  if (textMember(attachment, "type") !== "queued_command") return bookkeeping(line);
  const blocks = readBlocks(attachment["prompt"]);
  const flags = { isMeta: false, isQueued: true, toolUseResult: undefined };
  return { kind: "user", envelope: readEnvelope(line), blocks, ...flags };
}

function readTitle(line: JsonObject, member: string, origin: TitleOrigin): TranscriptEntry {
  const title = textMember(line, member)?.trim() ?? "";
  if (title === "") return bookkeeping(line);
  return { kind: "title", title, origin, leafUuid: textMember(line, "leafUuid") };
}

function bookkeeping(line: JsonObject): TranscriptEntry {
  return { kind: "bookkeeping", envelope: readEnvelope(line) };
}

function readEnvelope(line: JsonObject): Envelope {
  return {
    uuid: textMember(line, "uuid"),
    // After a compaction, `logicalParentUuid` names the previous entry.
    parentUuid: textMember(line, "parentUuid") ?? textMember(line, "logicalParentUuid"),
    sessionId: textMember(line, "sessionId"),
    atMs: readTime(textMember(line, "timestamp")),
    cwd: textMember(line, "cwd"),
    gitBranch: textMember(line, "gitBranch") || null,
    version: textMember(line, "version"),
    isSidechain: line["isSidechain"] === true,
  };
}

const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2100, 0);

function readTime(text: string | null): number | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return ms >= EARLIEST && ms < LATEST ? ms : null;
}
