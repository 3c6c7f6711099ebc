/** The blocks that messages of the Messages API are made of, and how parts of an item become blocks. */
import type { ContentItem, FunctionCallOutputBody } from "../../protocol/generated/types.ts";
import type { Thinking } from "../items/sealed-thinking.ts";

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

export interface ImageBlock {
  readonly type: "image";
  readonly source:
    | { readonly type: "base64"; readonly media_type: string; readonly data: string }
    | { readonly type: "url"; readonly url: string };
}

export interface ResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string | readonly (TextBlock | ImageBlock)[];
}

export type UserBlock = TextBlock | ImageBlock | ResultBlock;

export type AssistantBlock =
  | TextBlock
  | Thinking
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

/** What the API takes; a picture of another type would fail the whole request. */
const MEDIA_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const MAX_MEDIA_HEAD = 200;

type AnyPart = ContentItem | Exclude<FunctionCallOutputBody, string>[number];

/** Texts of nothing but space are refused by the API, and say nothing. */
export function toTextBlocks(text: string): TextBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

export function toBlocks(part: AnyPart): (TextBlock | ImageBlock)[] {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return toTextBlocks(part.text);
    case "input_image":
      return "image_url" in part ? [toImage(part.image_url)] : [];
    default:
      return [];
  }
}

function toImage(url: string): TextBlock | ImageBlock {
  if (/^https?:/i.test(url)) return { type: "image", source: { type: "url", url } };
  const comma = url.slice(0, MAX_MEDIA_HEAD).indexOf(",");
  const [mediaType = "", ...options] = url.slice(0, Math.max(comma, 0)).toLowerCase().split(";");
  const type = mediaType.replace(/^data:/, "");
  if (!options.includes("base64") || !MEDIA_TYPES.has(type)) {
    return { type: "text", text: "[a picture was left out: it is no JPEG, PNG, GIF or WebP]" };
  }
  return { type: "image", source: { type: "base64", media_type: type, data: url.slice(comma + 1) } };
}
