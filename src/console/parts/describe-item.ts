/** Words for tools, searches, images and what later versions add. */
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { IconName } from "../ui/icon.tsx";

export interface ItemWords {
  readonly icon: IconName;
  readonly head: string;
  readonly state: string | null;
  readonly details: string | null;
}

const MAX_DETAILS = 20_000;
const pretty = (value: unknown): string => (JSON.stringify(value, null, 2) ?? "").slice(0, MAX_DETAILS);

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
    case "enteredReviewMode":
      return { icon: "search", head: `Review: ${item.review}`, state: null, details: null };
    case "exitedReviewMode":
      return { icon: "search", head: "The review has ended", state: null, details: item.review };
    default:
      return { icon: "dots", head: item.type, state: null, details: pretty(item) };
  }
}
