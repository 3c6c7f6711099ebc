// Message blocks of a transcript, normalized to the kinds that the import converts.

import { objectMember, textMember } from "../../../base/json-members.ts";
import { isObject, type JsonObject } from "../../../base/json-object.ts";

export type OutputPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string };

export type ContentBlock =
  | OutputPart
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "toolUse"; readonly id: string; readonly name: string; readonly input: JsonObject }
  | {
      readonly type: "toolResult";
      readonly callId: string;
      readonly output: readonly OutputPart[];
      readonly isError: boolean;
    }
  /** Kinds that cannot be converted, such as signatures of hidden reasoning. */
  | { readonly type: "unknown"; readonly name: string };

/** The content is a string or a list of blocks. */
export function readBlocks(content: unknown): ContentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map(readBlock) : [];
}

function readBlock(block: unknown): ContentBlock {
  if (typeof block === "string") return { type: "text", text: block };
  if (!isObject(block)) return { type: "unknown", name: typeof block };
  const type = textMember(block, "type") ?? "";
  switch (type) {
    case "thinking":
      return { type: "thinking", text: textMember(block, "thinking") ?? textMember(block, "text") ?? "" };
    case "tool_use":
    case "server_tool_use":
      return readUse(block);
    case "tool_result":
    case "web_search_tool_result":
      return {
        type: "toolResult",
        callId: textMember(block, "tool_use_id") ?? "",
        output: readOutput(block["content"]),
        isError: block["is_error"] === true,
      };
    default:
      return readPart(block) ?? { type: "unknown", name: type };
  }
}

function readUse(block: JsonObject): ContentBlock {
  return {
    type: "toolUse",
    id: textMember(block, "id") ?? "",
    name: textMember(block, "name") ?? "",
    input: objectMember(block, "input") ?? {},
  };
}

/** The output of a tool: texts and images; any other part is kept as JSON text. */
function readOutput(content: unknown): OutputPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [{ type: "text", text: JSON.stringify(content) }];
  return content.map((part: unknown) => {
    if (typeof part === "string") return { type: "text", text: part };
    return (isObject(part) ? readPart(part) : null) ?? { type: "text", text: JSON.stringify(part) };
  });
}

function readPart(block: JsonObject): OutputPart | null {
  const type = textMember(block, "type");
  const text = textMember(block, "text");
  if ((type === "text" || type === null) && text !== null) return { type: "text", text };
  const url = type === "image" ? imageUrl(objectMember(block, "source") ?? {}) : null;
  return url === null ? null : { type: "image", url };
}

function imageUrl(source: JsonObject): string | null {
  const data = textMember(source, "data");
  if (data !== null) return `data:${textMember(source, "media_type") ?? "image/png"};base64,${data}`;
  return textMember(source, "url");
}

export function outputText(output: readonly OutputPart[]): string {
  return output.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

/** Classification of a user text: transcripts mark everything but the user's own words with tags inside the text. */

export type UserText =
  | { readonly kind: "prompt"; readonly text: string }
  /** A slash command as the user typed it. It was either expanded to a prompt or run locally. */
  | { readonly kind: "command"; readonly text: string }
  /** Output of a local command. */
  | { readonly kind: "localOutput" }
  | { readonly kind: "shellInput"; readonly command: string }
  | { readonly kind: "shellOutput"; readonly output: string }
  | { readonly kind: "interrupted" }
  /** Context for the model, added by the program. */
  | { readonly kind: "context" }
  | { readonly kind: "empty" };

const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/;
const CONTEXT = /^<(?:system-reminder|ide_[a-z_]+|user-prompt-submit-hook|task-notification)>/;
const LOCAL = /^<local-command-(?:stdout|stderr|caveat)>/;

export function classifyUserText(raw: string): UserText {
  const text = raw.trim();
  if (text === "") return { kind: "empty" };
  if (INTERRUPTED.test(text)) return { kind: "interrupted" };
  if (CONTEXT.test(text)) return { kind: "context" };
  if (LOCAL.test(text)) return { kind: "localOutput" };
  const command = tagged(text, "command-name");
  if (command !== null && text.startsWith("<command-")) {
    const name = command.startsWith("/") ? command : `/${command}`;
    return { kind: "command", text: `${name} ${tagged(text, "command-args") ?? ""}`.trim() };
  }
  const shell = text.startsWith("<bash-input>") ? tagged(text, "bash-input") : null;
  if (shell !== null) return { kind: "shellInput", command: shell };
  if (/^<bash-std(?:out|err)>/.test(text)) {
    const output = [tagged(text, "bash-stdout"), tagged(text, "bash-stderr")].filter(Boolean).join("\n");
    return { kind: "shellOutput", output };
  }
  return { kind: "prompt", text: raw };
}

function tagged(text: string, tag: string): string | null {
  const start = text.indexOf(`<${tag}>`);
  if (start < 0) return null;
  const from = start + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, from);
  return text.slice(from, end < 0 ? undefined : end).trim();
}
