/** Hook prompts that make the model continue: XML in a user message, one element for each hook run. */

import { objectsMember, textMember } from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { HookPromptFragment, ResponseItem, ThreadItem } from "../../protocol/generated/types.ts";

const OPENING = /^(?:<\?xml[^>]*\?>\s*)?<hook_prompt(\s[^<>]*)?>/;
const ATTRIBUTE = /\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const CLOSING = /^<\/hook_prompt\s*>/;

/** Parses a text that is a hook prompt; null for any other text. Text after the element is ignored. */
export function parseHookPrompt(text: string): HookPromptFragment | null {
  const trimmed = text.trim();
  const opening = OPENING.exec(trimmed);
  if (opening === null) return null;
  const hookRunId = unescape(attributeOf(opening[1] ?? "", "hook_run_id") ?? "");
  const content = readContent(trimmed.slice(opening[0].length));
  if (hookRunId === null || hookRunId.trim() === "") return null;
  return content === null || content === "" ? null : { text: content, hookRunId };
}

/** Null without a run id, which identifies the hook. */
export function renderHookPrompt({ text, hookRunId }: HookPromptFragment): string | null {
  if (hookRunId.trim() === "") return null;
  const id = escape(hookRunId).replaceAll('"', "&quot;");
  return `<hook_prompt hook_run_id="${id}">${escape(text)}</hook_prompt>`;
}

/** The message that makes the model continue; null if no fragment can be rendered. */
export function toHookPromptMessage(
  fragments: readonly HookPromptFragment[],
  id: string,
): ResponseItem | null {
  const texts = fragments.map(renderHookPrompt).filter((text) => text !== null);
  if (texts.length === 0) return null;
  return {
    type: "message",
    id,
    role: "user",
    content: texts.map((text) => ({ type: "input_text", text })),
  };
}

/** The item for a history message that consists only of hook prompts; null for any other message. */
export function toHookPromptItem(message: JsonObject, ownId: () => string): ThreadItem | null {
  if (message["type"] !== "message" || message["role"] !== "user") return null;
  const parts = objectsMember(message, "content");
  const fragments: HookPromptFragment[] = [];
  for (const part of parts) {
    const fragment = part["type"] === "input_text" ? parseHookPrompt(textMember(part, "text") ?? "") : null;
    if (fragment === null) return null;
    fragments.push(fragment);
  }
  if (fragments.length === 0) return null;
  return { type: "hookPrompt", id: textMember(message, "id") || ownId(), fragments };
}

function attributeOf(attributes: string, name: string): string | null {
  for (const [, key, double, single] of attributes.matchAll(ATTRIBUTE)) {
    if (key === name) return double ?? single ?? null;
  }
  return null;
}

/** The text up to the first nested element; null if it is not well-formed. */
function readContent(source: string): string | null {
  let rest = source;
  let text = "";
  while (rest !== "") {
    if (CLOSING.test(rest)) return text;
    const piece = readPiece(rest);
    if (piece === null) return null;
    if (piece === "element") return rest.includes("</hook_prompt") ? text : null;
    text += piece.text;
    rest = rest.slice(piece.length);
  }
  return null;
}

interface Piece {
  readonly text: string;
  readonly length: number;
}

function readPiece(rest: string): Piece | "element" | null {
  if (rest.startsWith("<![CDATA[")) return readUntil(rest, "]]>", (inner) => inner.slice("<![CDATA[".length));
  if (rest.startsWith("<!--")) return readUntil(rest, "-->", () => "");
  if (rest.startsWith("<")) return "element";
  const end = rest.indexOf("<");
  const raw = end === -1 ? rest : rest.slice(0, end);
  const text = unescape(raw);
  return text === null ? null : { text, length: raw.length };
}

function readUntil(rest: string, end: string, textMember: (inner: string) => string): Piece | null {
  const at = rest.indexOf(end);
  return at === -1 ? null : { text: textMember(rest.slice(0, at)), length: at + end.length };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Null if an ampersand begins no entity. */
function unescape(text: string): string | null {
  let valid = true;
  const plain = text.replace(/&([^;&\s]*;)?/g, (_, reference: string | undefined) => {
    const value = reference === undefined ? undefined : valueOf(reference.slice(0, -1));
    if (value === undefined) valid = false;
    return value ?? "";
  });
  return valid ? plain : null;
}

function valueOf(entity: string): string | undefined {
  const code = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(entity);
  if (code === null) return Object.hasOwn(ENTITIES, entity) ? ENTITIES[entity] : undefined;
  const [, hex, decimal] = code;
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : undefined;
}
