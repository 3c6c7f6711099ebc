/**
 * What the model was told, request by request, in a form that two servers can share: each request shows the input that
 * it adds to the one before. Instructions are every server's own words, so of those only the tag is shown.
 */
import { isObject, type JsonObject } from "../support/json.ts";

/** The parts of a request for a response that tell a conversation. */
type Asked = { readonly body: unknown };

type Told = {
  /** The history before these items is not that of the request before, as after a compaction. */
  readonly rewritten?: true;
  readonly added: readonly unknown[];
};

const OPENING_TAG = /^<([a-z_]+)[^>]*>/u;
/** Tags that a user message carries and whose content is words to the model rather than facts. */
const PROSE = new Set(["turn_aborted", "user_action"]);

/** How a scripted summary begins; how it is introduced to the model is again every server's own words. */
const SUMMARY = "SUMMARY";

/** Requests of several threads may be mixed; each is shown against the last one of its own thread. */
export function describeConversation(requests: readonly Asked[]): Told[] {
  const before = new Map<unknown, readonly string[]>();
  return requests.map(({ body }) => {
    const { input, prompt_cache_key: thread } = isObject(body) ? body : {};
    const items = Array.isArray(input) ? input : [];
    const texts = items.map((item) => JSON.stringify(item));
    const last = before.get(thread);
    before.set(thread, texts);
    if (last === undefined) return { added: items.map((item, index) => describeItem(item, index, true)) };
    const grown = last.every((text, index) => text === texts[index]);
    const start = grown ? last.length : 0;
    const added = items.slice(start).map((item, index) => describeItem(item, start + index, !grown));
    return grown ? { added } : { rewritten: true, added };
  });
}

/** An item without its id; a message as its role and texts. */
function describeItem(item: unknown, index: number, opening: boolean): unknown {
  if (!isObject(item)) return item;
  const { id: _, internal_chat_message_metadata_passthrough: __, ...rest } = item;
  if (rest["type"] !== "message" || !Array.isArray(rest["content"])) return rest;
  const parts = rest["content"].filter(isObject);
  const role = String(rest["role"]);
  if (role === "developer" && index === 0) return "developer: instructions";
  return { [role]: parts.map((part) => describePart(part, role, opening)) };
}

function describePart(part: JsonObject, role: string, opening: boolean): unknown {
  const { text } = part;
  if (typeof text !== "string") return part;
  const summary = text.indexOf(SUMMARY);
  if (summary > 0) return `… ${text.slice(summary)}`;
  const tag = OPENING_TAG.exec(text)?.[1];
  const isKnown = opening && tag === "environment_context";
  if (tag !== undefined && (isKnown || role === "developer" || PROSE.has(tag))) return `<${tag}>`;
  return opening && text.startsWith("# AGENTS.md") ? "# AGENTS.md" : text;
}
