/** The names of items: providers know the kind of an item by what its name begins with. */
import type { ResponseItem } from "../../protocol/generated/types.ts";

const PREFIXES: Partial<Record<ResponseItem["type"], string>> = {
  additional_tools: "at",
  agent_message: "amsg",
  compaction: "cmp",
  context_compaction: "cmp",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  function_call: "fc",
  function_call_output: "fco",
  image_generation_call: "ig",
  local_shell_call: "lsh",
  message: "msg",
  reasoning: "rs",
  tool_search_call: "tsc",
  tool_search_output: "tso",
  web_search_call: "ws",
};

export function newMessageId(createId: () => string): string {
  return `${PREFIXES.message}_${createId()}`;
}

/** An item that the provider did not name, with a name of our own. */
export function withId(item: ResponseItem, createId: () => string): ResponseItem {
  const prefix = PREFIXES[item.type];
  if (prefix === undefined || idOf(item)) return item;
  return { ...item, id: `${prefix}_${createId()}` } as ResponseItem;
}

/** Providers refuse a name that does not look like one of theirs; without a name they take the item. */
export function withoutForeignId(item: ResponseItem): ResponseItem {
  const id = idOf(item);
  if (id === null || /^[^_]+_./su.test(id)) return item;
  const { id: _, ...rest } = item as ResponseItem & { readonly id: string };
  return rest;
}

function idOf(item: ResponseItem): string | null {
  return "id" in item && typeof item.id === "string" ? item.id : null;
}
