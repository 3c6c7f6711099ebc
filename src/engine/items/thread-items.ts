/** Converts history items to the wire items that clients receive. */
import { isObject } from "../../base/json-object.ts";
import type { MessagePhase, ThreadItem, WebSearchAction } from "../../protocol/generated/types.ts";
import { parseHookPrompt } from "../../store/lines/hook-prompt.ts";
import { parseMemoryCitation, recordsOf, splitCitations, textOf } from "./memory-citation.ts";
import { splitPlan } from "./message-tags.ts";
import { isContextText, toUserContent } from "./user-content.ts";

export interface ItemOptions {
  /** Creates ids for items that have none. */
  readonly createId: () => string;
  /** The id for a plan in a Plan mode message; null in other modes, where a plan is ordinary text. */
  readonly planId: string | null;
  /** Called with each unknown item kind. */
  readonly warn: (kind: string) => void;
}

type Item = Readonly<Record<string, unknown>>;

/**
 * Converts a stored history item to wire items in their final state. Most kinds yield none, because tools report their
 * own items; a message with a plan yields two. Accepts any JSON.
 */
export function toThreadItems(item: unknown, options: ItemOptions): readonly ThreadItem[] {
  if (!isObject(item)) return [];
  switch (item["type"]) {
    case "message":
      return toMessageItems(item, options);
    case "reasoning":
      return [toReasoning(item, options)];
    case "web_search_call": {
      const action = toSearchAction(item["action"]);
      const id = itemId(item, "ws", options);
      return [{ type: "webSearch", id, query: describeSearch(action), action, results: null }];
    }
    case "image_generation_call":
      return toImageGeneration(item);
    default:
      if (!HIDDEN.has(item["type"])) options.warn(String(item["type"]));
      return [];
  }
}

/** Known kinds that have no wire item. */
const HIDDEN: ReadonlySet<unknown> = new Set([
  "additional_tools",
  "agent_message",
  "local_shell_call",
  "function_call",
  "tool_search_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "tool_search_output",
  "compaction",
  "configuration_update",
  "compaction_trigger",
  "context_compaction",
  "other",
]);

const PREFIXES: Readonly<Record<string, string>> = { message: "msg", reasoning: "rs", web_search_call: "ws" };

/** The id of the item, or a new one such as `msg_…`; null for kinds that need none. */
export function idFor(item: unknown, createId: () => string): string | null {
  if (!isObject(item)) return null;
  const own = textOf(item["id"]);
  const prefix = PREFIXES[textOf(item["type"]) ?? ""];
  return own ?? (prefix === undefined ? null : `${prefix}_${createId()}`);
}

/** The unfiltered text of an assistant message; null for any other item. */
export function rawAgentText(item: unknown): string | null {
  if (!isObject(item) || item["type"] !== "message" || item["role"] !== "assistant") return null;
  return recordsOf(item["content"])
    .flatMap((part) => (isText(part) ? (textOf(part["text"]) ?? []) : []))
    .join("");
}

function phaseOf(item: Item): MessagePhase | null {
  const phase = item["phase"];
  return phase === "commentary" || phase === "partial_answer" || phase === "final_answer" ? phase : null;
}

function toMessageItems(item: Item, options: ItemOptions): readonly ThreadItem[] {
  if (item["role"] === "assistant") return toAgentItems(item, options);
  if (item["role"] !== "user") return [];
  const parts = recordsOf(item["content"]);
  const texts = parts.flatMap((part) => (part["type"] === "input_text" ? (textOf(part["text"]) ?? []) : []));
  const fragments = texts.flatMap((text) => parseHookPrompt(text) ?? []);
  const context = texts.filter(isContextText);
  if (fragments.length > 0) {
    const isPrompt = fragments.length + context.length === parts.length;
    return isPrompt ? [{ type: "hookPrompt", id: itemId(item, "msg", options), fragments }] : [];
  }
  if (context.length > 0) return [];
  const content = toUserContent(parts);
  return [{ type: "userMessage", id: options.createId(), clientId: null, content }];
}

function toAgentItems(item: Item, options: ItemOptions): readonly ThreadItem[] {
  const raw = rawAgentText(item) ?? "";
  const { text: cited, citations } = splitCitations(raw);
  const message = (text: string): ThreadItem => ({
    ...emptyAgentMessage(item, itemId(item, "msg", options)),
    text,
    memoryCitation: parseMemoryCitation(citations),
  });
  if (options.planId === null) return [message(cited)];
  const { plan } = splitPlan(raw);
  const { text } = splitPlan(cited);
  return [
    ...(plan === null
      ? []
      : [{ type: "plan", id: options.planId, text: splitCitations(plan).text } as const]),
    ...(text.trim() === "" ? [] : [message(text)]),
  ];
}

/** An agent message without text, for `item/started`. */
export function emptyAgentMessage(item: unknown, id: string): Extract<ThreadItem, { type: "agentMessage" }> {
  return {
    type: "agentMessage",
    id,
    text: "",
    phase: isObject(item) ? phaseOf(item) : null,
    memoryCitation: null,
    delivery: null,
    questions: null,
  };
}

function toReasoning(item: Item, options: ItemOptions): ThreadItem {
  const textsIn = (list: unknown) => recordsOf(list).flatMap((part) => textOf(part["text"]) ?? []);
  const id = itemId(item, "rs", options);
  return { type: "reasoning", id, summary: textsIn(item["summary"]), content: textsIn(item["content"]) };
}

/** Clients refer to an image by its id, so one without an id is dropped. */
function toImageGeneration(item: Item): readonly ThreadItem[] {
  const id = textOf(item["id"]);
  if (id === null) return [];
  return [
    {
      type: "imageGeneration",
      id,
      status: textOf(item["status"]) ?? "",
      revisedPrompt: textOf(item["revised_prompt"]),
      failure: null,
      generationId: null,
      result: textOf(item["result"]) ?? "",
    },
  ];
}

function itemId(item: Item, prefix: string, { createId }: ItemOptions): string {
  return textOf(item["id"]) ?? `${prefix}_${createId()}`;
}

function isText(part: Item): boolean {
  return part["type"] === "output_text" || part["type"] === "input_text";
}

function toSearchAction(given: unknown): WebSearchAction {
  if (!isObject(given)) return { type: "other" };
  switch (given["type"]) {
    case "search":
      return { type: "search", query: textOf(given["query"]), queries: textsOf(given["queries"]) };
    case "open_page":
      return { type: "openPage", url: textOf(given["url"]) };
    case "find_in_page":
      return { type: "findInPage", url: textOf(given["url"]), pattern: textOf(given["pattern"]) };
    default:
      return { type: "other" };
  }
}

/** Renders the action as one line. */
function describeSearch(action: WebSearchAction): string {
  switch (action.type) {
    case "search":
      return action.query === null || action.query === "" ? firstOf(action.queries ?? []) : action.query;
    case "openPage":
      return action.url ?? "";
    case "findInPage": {
      const { pattern, url } = action;
      if (pattern === null) return url ?? "";
      return url === null ? `'${pattern}'` : `'${pattern}' in ${url}`;
    }
    default:
      return "";
  }
}

function firstOf([first = "", ...more]: readonly string[]): string {
  return more.length > 0 && first !== "" ? `${first} ...` : first;
}

function textsOf(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : null;
}
