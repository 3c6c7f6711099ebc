/** What a line says in the words of legacy files, where messages and reasoning are events of their own. */
import type { JsonObject } from "../../base/json-object.ts";
import type { LineBody } from "./line.ts";
import { numberOf, objectOf, objectsOf, textOf, textsOf, withoutNulls } from "./members.ts";

/** The lines to write in place of one; most stay as they are. */
export function toLegacyLines(body: LineBody): readonly LineBody[] {
  if (body.type !== "event_msg" || textOf(body.payload, "type") !== "item_completed") return [body];
  const item = objectOf(body.payload, "item") ?? {};
  switch (textOf(item, "type")) {
    case "UserMessage":
      return [event("user_message", userMessage(item))];
    case "AgentMessage":
      return [event("agent_message", agentMessage(item))];
    case "Reasoning":
      return [
        ...textsOf(item, "summary_text").map((text) => event("agent_reasoning", { text })),
        ...textsOf(item, "raw_content").map((text) => event("agent_reasoning_raw_content", { text })),
      ];
    default:
      return [body];
  }
}

function userMessage(item: JsonObject): JsonObject {
  const parts = objectsOf(item, "content");
  const all = (type: string, key: string) =>
    parts.flatMap((part) => (part["type"] === type ? [textOf(part, key) ?? ""] : []));
  const details = (type: string) =>
    parts.flatMap((part) => (part["type"] === type ? [textOf(part, "detail")] : []));
  return {
    client_id: textOf(item, "client_id"),
    ...joinTexts(parts.filter(({ type }) => type === "text")),
    images: all("image", "image_url"),
    image_details: details("image"),
    local_images: all("local_image", "path"),
    local_image_details: details("local_image"),
    audio: all("audio", "audio_url"),
    local_audio: all("local_audio", "path"),
  };
}

/** Several texts become one, and the elements in them move along. */
function joinTexts(parts: readonly JsonObject[]): JsonObject {
  let message = "";
  const elements: JsonObject[] = [];
  for (const part of parts) {
    const before = Buffer.byteLength(message);
    for (const element of objectsOf(part, "text_elements")) {
      const range = objectOf(element, "byte_range") ?? {};
      const [start, end] = [numberOf(range, "start") ?? 0, numberOf(range, "end") ?? 0];
      elements.push({ ...element, byte_range: { start: start + before, end: end + before } });
    }
    message += textOf(part, "text") ?? "";
  }
  return { message, text_elements: elements };
}

function agentMessage(item: JsonObject): JsonObject {
  const message = objectsOf(item, "content")
    .map((part) => textOf(part, "text") ?? "")
    .join("");
  return { message, phase: item["phase"], memory_citation: item["memory_citation"] };
}

function event(type: string, members: JsonObject): LineBody {
  return { type: "event_msg", payload: { type, ...withoutNulls(members) } };
}
