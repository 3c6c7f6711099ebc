/** Turns the content of a user message of the history back into what the user gave. */
import type { ImageDetail, UserInput } from "../../protocol/generated/types.ts";
import { textOf } from "./loose-json.ts";

type Part = Readonly<Record<string, unknown>>;

const LABELS = [
  { media: "input_image", open: /^<image(?: name=[\s\S]*)?>$/, close: "</image>" },
  { media: "input_audio", open: /^<audio(?: name=[\s\S]*)?>$/, close: "</audio>" },
] as const;
const DETAILS: readonly unknown[] = ["auto", "low", "high", "original"] satisfies ImageDetail[];

/** The tags that tell the model where an image or a recording comes from are left out. */
export function toUserContent(parts: readonly Part[]): UserInput[] {
  return parts.flatMap((part, index) => (isLabel(parts, index) ? [] : toInput(part)));
}

function isLabel(parts: readonly Part[], index: number): boolean {
  const part = parts[index];
  const text = part?.["type"] === "input_text" ? textOf(part["text"]) : null;
  if (text === null) return false;
  return LABELS.some(
    ({ media, open, close }) =>
      (open.test(text) && parts[index + 1]?.["type"] === media) ||
      (text === close && parts[index - 1]?.["type"] === media),
  );
}

function toInput(part: Part): UserInput[] {
  const text = textOf(part["text"]);
  const audio = textOf(part["audio_url"]);
  switch (part["type"]) {
    case "input_text":
      return text === null ? [] : [{ type: "text", text, text_elements: [] }];
    case "input_image":
      return toImage(part);
    case "input_audio":
      return audio === null ? [] : [{ type: "audio", url: audio }];
    default:
      return [];
  }
}

function toImage(part: Part): UserInput[] {
  const detail = DETAILS.includes(part["detail"]) ? (part["detail"] as ImageDetail) : null;
  const url = textOf(part["image_url"]);
  if (url !== null) return [{ type: "image", url, detail }];
  const fileId = textOf(part["file_id"]);
  return fileId === null ? [] : [{ type: "image", fileId, detail }];
}
