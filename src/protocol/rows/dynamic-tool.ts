// Tools that a client offers to the agent and runs itself.

import { DynamicToolCallOutputContentItem } from "./item-detail.ts";
import { serverRequest } from "./row.ts";
import {
  anyJson,
  array,
  boolean,
  byTag,
  define,
  nullable,
  object,
  optional,
  string,
  tagged,
  untagged,
} from "./shape.ts";

export const DynamicToolCallParams = define(
  "DynamicToolCallParams",
  object({
    threadId: string(),
    turnId: string(),
    callId: string(),
    namespace: nullable(string()),
    tool: string(),
    arguments: anyJson(),
  }),
);
export const DynamicToolCallResponse = define(
  "DynamicToolCallResponse",
  object({ contentItems: array(DynamicToolCallOutputContentItem), success: boolean() }),
);
const toolFunction = {
  name: string(),
  description: string(),
  inputSchema: anyJson(),
  deferLoading: optional(boolean()),
};
export const DynamicToolNamespaceTool = define(
  "DynamicToolNamespaceTool",
  tagged("type", { function: toolFunction }),
);
export const DynamicToolSpec = define(
  "DynamicToolSpec",
  tagged("type", {
    function: toolFunction,
    namespace: { name: string(), description: string(), tools: array(DynamicToolNamespaceTool) },
  }),
);
export const LegacyDynamicToolSpec = define(
  "LegacyDynamicToolSpec",
  untagged("type", {
    namespace: nullable(string()),
    name: string(),
    description: string(),
    inputSchema: anyJson(),
    deferLoading: nullable(boolean()),
    exposeToContext: nullable(boolean()),
  }),
  "A tool as older clients describe it.",
);

/** A tool in either form. */
export const OfferedTool = byTag("type", DynamicToolSpec, LegacyDynamicToolSpec);

export const dynamicToolServerRequests = {
  "item/tool/call": serverRequest({
    summary: "Runs a tool that the client itself offers.",
    stability: "stable",
    params: DynamicToolCallParams,
    result: DynamicToolCallResponse,
  }),
};
