/** Helpers for items of the Responses API: ids, whose prefix tells providers the kind of an item, and text messages. */
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

/** Assigns an id to an item that the provider sent without one. */
export function withId(item: ResponseItem, createId: () => string): ResponseItem {
  const prefix = PREFIXES[item.type];
  if (prefix === undefined || idOf(item)) return item;
  return { ...item, id: `${prefix}_${createId()}` } as ResponseItem;
}

/** Removes an id that providers would reject for its format; they accept items without an id. */
export function withoutForeignId(item: ResponseItem): ResponseItem {
  const id = idOf(item);
  if (id === null || /^[^_]+_./su.test(id)) return item;
  const { id: _, ...rest } = item as ResponseItem & { readonly id: string };
  return rest;
}

function idOf(item: ResponseItem): string | null {
  return "id" in item && typeof item.id === "string" ? item.id : null;
}

export function textMessage(role: "user" | "developer" | "assistant", text: string): ResponseItem {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { type: "message", role, content: [{ type, text }] };
}

/** Recorded at the end of an interrupted turn, so that the model knows in the next one why the answer is incomplete. */
export const TURN_ABORTED = textMessage(
  "user",
  "<turn_aborted>\nThe user interrupted the turn. Commands that were running may have done part of their work.\n</turn_aborted>",
);
