/** Words for tools, searches, images and what later versions add. */
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { readImageData } from "../text/image-data.ts";
import type { IconName } from "../ui/icon.tsx";

export interface ItemWords {
  readonly icon: IconName;
  readonly head: string;
  readonly state: string | null;
  readonly details: string | null;
}

const MAX_DETAILS = 20_000;

/** Images are drawn beside it, not written out. */
function pretty(value: unknown): string {
  const text =
    JSON.stringify(
      value,
      (_, member: unknown) =>
        isImage(member)
          ? { ...member, data: "(image)" }
          : typeof member === "string" && readImageData(member) !== null
            ? "(image)"
            : member,
      2,
    ) ?? "";
  if (text.length <= MAX_DETAILS) return text;
  return `${text.slice(0, MAX_DETAILS)}\n… ${text.length - MAX_DETAILS} more characters`;
}

interface Image {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** An image in the result of an MCP server. */
function isImage(value: unknown): value is Image {
  const { type, data, mimeType } = (value ?? {}) as Partial<Image>;
  return type === "image" && typeof data === "string" && typeof mimeType === "string";
}

/** The images of a result, as `data:` addresses. */
export function imagesOf(item: ThreadItem): readonly string[] {
  switch (item.type) {
    case "mcpToolCall":
      return (item.result?.content ?? [])
        .filter(isImage)
        .map(({ mimeType, data }) => `data:${mimeType};base64,${data}`);
    case "dynamicToolCall":
      return (item.contentItems ?? []).flatMap((part) => (part.type === "inputImage" ? [part.imageUrl] : []));
    case "imageGeneration":
      return "result" in item && item.result !== "" ? [`data:image/png;base64,${item.result}`] : [];
    default:
      return [];
  }
}

export function describeItem(item: ThreadItem): ItemWords {
  switch (item.type) {
    case "mcpToolCall":
      return {
        icon: "server",
        head: `${item.server}.${item.tool}`,
        state: item.status === "inProgress" ? "runs" : item.status,
        details: pretty({
          arguments: item.arguments,
          result: item.result?.content,
          error: item.error?.message,
        }),
      };
    case "dynamicToolCall":
      return { icon: "server", head: item.tool, state: item.status, details: pretty(item.contentItems) };
    case "webSearch":
      return { icon: "search", head: `Searched the web: ${item.query}`, state: null, details: null };
    case "imageView":
      return { icon: "file", head: `Looked at ${item.path}`, state: null, details: null };
    case "hookPrompt":
      return {
        icon: "hook",
        head: "A hook continued the turn",
        state: null,
        details: pretty(item.fragments),
      };
    case "contextCompaction":
      return { icon: "list", head: "The history was summarised", state: null, details: null };
    case "imageGeneration":
      return { icon: "file", head: "Made an image", state: item.status, details: item.revisedPrompt };
    case "enteredReviewMode":
      return { icon: "search", head: `Review: ${item.review}`, state: null, details: null };
    case "exitedReviewMode":
      return { icon: "search", head: "The review has ended", state: null, details: item.review };
    default:
      return { icon: "dots", head: item.type, state: null, details: pretty(item) };
  }
}
