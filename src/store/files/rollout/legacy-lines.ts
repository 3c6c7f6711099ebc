/** Converts lines to the legacy file format, where messages and reasoning are events instead of items. */

import {
  numberMember,
  objectMember,
  objectsMember,
  textMember,
  textsMember,
  withoutNulls,
} from "../../../base/json-members.ts";
import type { JsonObject } from "../../../base/json-object.ts";
import type { LineBody } from "../../lines/line.ts";

/** The lines that replace the given one; most lines are unchanged. */
export function toLegacyLines(body: LineBody): readonly LineBody[] {
  if (body.type !== "event_msg" || textMember(body.payload, "type") !== "item_completed") return [body];
  const item = objectMember(body.payload, "item") ?? {};
  switch (textMember(item, "type")) {
    case "UserMessage":
      return [event("user_message", userMessage(item))];
    case "AgentMessage":
      return [event("agent_message", agentMessage(item))];
    case "Reasoning":
      return [
        ...textsMember(item, "summary_text").map((text) => event("agent_reasoning", { text })),
        ...textsMember(item, "raw_content").map((text) => event("agent_reasoning_raw_content", { text })),
      ];
    default:
      return [body];
  }
}

function userMessage(item: JsonObject): JsonObject {
  const parts = objectsMember(item, "content");
  const all = (type: string, key: string) =>
    parts.flatMap((part) => (part["type"] === type ? [textMember(part, key) ?? ""] : []));
  const details = (type: string) =>
    parts.flatMap((part) => (part["type"] === type ? [textMember(part, "detail")] : []));
  return {
    client_id: textMember(item, "client_id"),
    ...joinTexts(parts.filter(({ type }) => type === "text")),
    images: all("image", "image_url"),
    image_details: details("image"),
    local_images: all("local_image", "path"),
    local_image_details: details("local_image"),
    audio: all("audio", "audio_url"),
    local_audio: all("local_audio", "path"),
  };
}

/** Joins texts into one and shifts the byte ranges of their elements. */
function joinTexts(parts: readonly JsonObject[]): JsonObject {
  let message = "";
  const elements: JsonObject[] = [];
  for (const part of parts) {
    const before = Buffer.byteLength(message);
    for (const element of objectsMember(part, "text_elements")) {
      const range = objectMember(element, "byte_range") ?? {};
      const [start, end] = [numberMember(range, "start") ?? 0, numberMember(range, "end") ?? 0];
      elements.push({ ...element, byte_range: { start: start + before, end: end + before } });
    }
    message += textMember(part, "text") ?? "";
  }
  return { message, text_elements: elements };
}

function agentMessage(item: JsonObject): JsonObject {
  const message = objectsMember(item, "content")
    .map((part) => textMember(part, "text") ?? "")
    .join("");
  return { message, phase: item["phase"], memory_citation: item["memory_citation"] };
}

function event(type: string, members: JsonObject): LineBody {
  return { type: "event_msg", payload: { type, ...withoutNulls(members) } };
}
