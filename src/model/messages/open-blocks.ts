/** Assembles streamed content blocks and converts each to a response item. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { createModelFailure, type ModelFailure } from "../failure/failure.ts";
import type { FunctionTools } from "../items/function-tools.ts";
import { sealThinking } from "../items/sealed-thinking.ts";
import { toMessageItem } from "../items/text-item.ts";
import type { ModelEvent } from "../model.ts";
import { stringOf } from "../provider-input.ts";

export interface OpenBlocks {
  /** Returns a failure if the response can no longer be read. */
  begin(index: unknown, content: unknown, events: ModelEvent[]): ModelFailure | null;
  applyDelta(index: unknown, delta: unknown, events: ModelEvent[]): void;
  end(index: unknown, events: ModelEvent[]): void;
  endAll(events: ModelEvent[]): void;
}

type OpenBlock =
  | { readonly type: "text"; text: string }
  | { readonly type: "thinking"; text: string; signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      json: string;
      readonly input: unknown;
    };

/** Normally one block is open at a time; this many calls may be interleaved by a gateway. */
const MAX_OPEN_BLOCKS = 256;

export function createOpenBlocks(tools: FunctionTools): OpenBlocks {
  const open = new Map<unknown, OpenBlock>();

  function begin(index: unknown, content: unknown, events: ModelEvent[]): ModelFailure | null {
    const block = isObject(content) ? toOpenBlock(content) : null;
    if (block === null) return null;
    end(index, events);
    // Only one text item may be open at a time for clients.
    if (block.type !== "tool_use") {
      for (const [other, { type }] of open) if (type !== "tool_use") end(other, events);
    }
    open.set(index, block);
    if (open.size > MAX_OPEN_BLOCKS)
      return createModelFailure("unreadable", { detail: "too many blocks are open" });
    if (block.type === "text" || block.type === "thinking") {
      events.push({ type: "itemAdded", item: toItem(block, tools) });
      // A block may start with some text, in the same members as a delta.
      applyDelta(index, content, events);
    }
    return null;
  }

  function applyDelta(index: unknown, delta: unknown, events: ModelEvent[]): void {
    const block = open.get(index);
    if (block === undefined || !isObject(delta)) return;
    if (block.type === "text") appendText(block, stringOf(delta["text"]) ?? "", events);
    else if (block.type === "thinking") {
      appendText(block, stringOf(delta["thinking"]) ?? "", events);
      block.signature += stringOf(delta["signature"]) ?? "";
    } else if (block.type === "tool_use") block.json += stringOf(delta["partial_json"]) ?? "";
  }

  function end(index: unknown, events: ModelEvent[]): void {
    const block = open.get(index);
    if (block !== undefined) events.push({ type: "itemDone", item: toItem(block, tools) });
    open.delete(index);
  }

  function endAll(events: ModelEvent[]): void {
    for (const index of open.keys()) end(index, events);
  }

  return { begin, applyDelta, end, endAll };
}

function appendText(block: Extract<OpenBlock, { text: string }>, delta: string, events: ModelEvent[]): void {
  if (delta === "") return;
  const isFirst = block.text === "";
  block.text += delta;
  if (block.type === "text") events.push({ type: "textDelta", itemId: null, delta });
  else {
    if (isFirst) events.push({ type: "reasoningSummaryPartAdded", itemId: null, index: 0 });
    events.push({ type: "reasoningSummaryDelta", itemId: null, delta, index: 0 });
  }
}

/** Null for unsupported types, such as the provider's own searches. */
function toOpenBlock(content: JsonObject): OpenBlock | null {
  switch (content["type"]) {
    case "text":
      return { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", text: "", signature: "" };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: stringOf(content["data"]) ?? "" };
    case "tool_use": {
      const [id, name] = [stringOf(content["id"]), stringOf(content["name"])];
      if (!id || !name) return null;
      return { type: "tool_use", id, name, json: "", input: content["input"] };
    }
    default:
      return null;
  }
}

function toItem(block: OpenBlock, tools: FunctionTools): ResponseItem {
  switch (block.type) {
    case "text":
      return toMessageItem(block.text);
    case "thinking":
      return sealThinking({ type: "thinking", thinking: block.text, signature: block.signature });
    case "redacted_thinking":
      return sealThinking(block);
    case "tool_use": {
      const { id, name, json, input } = block;
      return tools.toCallItem({ id, name, arguments: json || JSON.stringify(input ?? {}) });
    }
  }
}
