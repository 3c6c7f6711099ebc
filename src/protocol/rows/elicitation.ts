// Questions of MCP servers to the user.

import { serverRequest } from "./row.ts";
import {
  anyJson,
  anyOf,
  array,
  boolean,
  choice,
  define,
  map,
  nullable,
  number,
  object,
  optional,
  string,
  tagged,
  u32,
  u64,
} from "./shape.ts";

export const McpElicitationObjectType = define("McpElicitationObjectType", choice("object"));
export const McpElicitationStringType = define("McpElicitationStringType", choice("string"));
export const McpElicitationUntitledSingleSelectEnumSchema = define(
  "McpElicitationUntitledSingleSelectEnumSchema",
  object({
    type: McpElicitationStringType,
    title: optional(string()),
    description: optional(string()),
    enum: array(string()),
    default: optional(string()),
  }),
);
export const McpElicitationConstOption = define(
  "McpElicitationConstOption",
  object({ const: string(), title: string() }),
);
export const McpElicitationTitledSingleSelectEnumSchema = define(
  "McpElicitationTitledSingleSelectEnumSchema",
  object({
    type: McpElicitationStringType,
    title: optional(string()),
    description: optional(string()),
    oneOf: array(McpElicitationConstOption),
    default: optional(string()),
  }),
);
export const McpElicitationSingleSelectEnumSchema = define(
  "McpElicitationSingleSelectEnumSchema",
  anyOf(McpElicitationUntitledSingleSelectEnumSchema, McpElicitationTitledSingleSelectEnumSchema),
);
export const McpElicitationArrayType = define("McpElicitationArrayType", choice("array"));
export const McpElicitationUntitledEnumItems = define(
  "McpElicitationUntitledEnumItems",
  object({ type: McpElicitationStringType, enum: array(string()) }),
);
export const McpElicitationUntitledMultiSelectEnumSchema = define(
  "McpElicitationUntitledMultiSelectEnumSchema",
  object({
    type: McpElicitationArrayType,
    title: optional(string()),
    description: optional(string()),
    minItems: optional(u64()),
    maxItems: optional(u64()),
    items: McpElicitationUntitledEnumItems,
    default: optional(array(string())),
  }),
);
export const McpElicitationTitledEnumItems = define(
  "McpElicitationTitledEnumItems",
  object({ anyOf: array(McpElicitationConstOption) }),
);
export const McpElicitationTitledMultiSelectEnumSchema = define(
  "McpElicitationTitledMultiSelectEnumSchema",
  object({
    type: McpElicitationArrayType,
    title: optional(string()),
    description: optional(string()),
    minItems: optional(u64()),
    maxItems: optional(u64()),
    items: McpElicitationTitledEnumItems,
    default: optional(array(string())),
  }),
);
export const McpElicitationMultiSelectEnumSchema = define(
  "McpElicitationMultiSelectEnumSchema",
  anyOf(McpElicitationUntitledMultiSelectEnumSchema, McpElicitationTitledMultiSelectEnumSchema),
);
export const McpElicitationLegacyTitledEnumSchema = define(
  "McpElicitationLegacyTitledEnumSchema",
  object({
    type: McpElicitationStringType,
    title: optional(string()),
    description: optional(string()),
    enum: array(string()),
    enumNames: optional(array(string())),
    default: optional(string()),
  }),
);
export const McpElicitationEnumSchema = define(
  "McpElicitationEnumSchema",
  anyOf(
    McpElicitationSingleSelectEnumSchema,
    McpElicitationMultiSelectEnumSchema,
    McpElicitationLegacyTitledEnumSchema,
  ),
);
export const McpElicitationStringFormat = define(
  "McpElicitationStringFormat",
  choice("email", "uri", "date", "date-time"),
);
export const McpElicitationStringSchema = define(
  "McpElicitationStringSchema",
  object({
    type: McpElicitationStringType,
    title: optional(string()),
    description: optional(string()),
    minLength: optional(u32()),
    maxLength: optional(u32()),
    format: optional(McpElicitationStringFormat),
    default: optional(string()),
  }),
);
export const McpElicitationNumberType = define("McpElicitationNumberType", choice("number", "integer"));
export const McpElicitationNumberSchema = define(
  "McpElicitationNumberSchema",
  object({
    type: McpElicitationNumberType,
    title: optional(string()),
    description: optional(string()),
    minimum: optional(number()),
    maximum: optional(number()),
    default: optional(number()),
  }),
);
export const McpElicitationBooleanType = define("McpElicitationBooleanType", choice("boolean"));
export const McpElicitationBooleanSchema = define(
  "McpElicitationBooleanSchema",
  object({
    type: McpElicitationBooleanType,
    title: optional(string()),
    description: optional(string()),
    default: optional(boolean()),
  }),
);
export const McpElicitationPrimitiveSchema = define(
  "McpElicitationPrimitiveSchema",
  anyOf(
    McpElicitationEnumSchema,
    McpElicitationStringSchema,
    McpElicitationNumberSchema,
    McpElicitationBooleanSchema,
  ),
);
export const McpElicitationSchema = define(
  "McpElicitationSchema",
  object({
    $schema: optional(string()),
    type: McpElicitationObjectType,
    properties: map(McpElicitationPrimitiveSchema),
    required: optional(array(string())),
  }),
);
export const McpServerElicitationRequestParams = define(
  "McpServerElicitationRequestParams",
  tagged(
    "mode",
    {
      "openai/userVerification": { title: string(), description: string(), challenge: string() },
      form: { message: string(), requestedSchema: McpElicitationSchema },
      "openai/form": { message: string(), requestedSchema: anyJson() },
      openaiForm: { message: string(), requestedSchema: anyJson() },
      url: { message: string(), url: string(), elicitationId: string() },
    },
    { threadId: string(), turnId: nullable(string()), serverName: string(), _meta: nullable(anyJson()) },
  ),
);
export const McpServerElicitationAction = define(
  "McpServerElicitationAction",
  choice("accept", "decline", "cancel"),
);
export const McpServerElicitationRequestResponse = define(
  "McpServerElicitationRequestResponse",
  object({ action: McpServerElicitationAction, content: nullable(anyJson()), _meta: nullable(anyJson()) }),
);

export const elicitationServerRequests = {
  "mcpServer/elicitation/request": serverRequest({
    summary: "A question of an MCP server to the user: a form, or a page to open.",
    stability: "stable",
    params: McpServerElicitationRequestParams,
    result: McpServerElicitationRequestResponse,
    raises: "approval",
  }),
};
