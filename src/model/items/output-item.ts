/**
 * Validates the output items of a model. A model must not speak for the user or the server: a message in their role, an
 * output of a tool that was not called, or a change of tools or settings would be trusted in every later request.
 */
import { isObject } from "../../base/json-object.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";

/** `parts` is an array of objects with a type. */
type Shape = "string" | "object" | "parts" | "any";

/** The allowed item types with their required members. */
const MEMBERS = {
  custom_tool_call: { call_id: "string", name: "string", input: "string" },
  function_call: { name: "string", arguments: "string", call_id: "string" },
  image_generation_call: { status: "string", result: "string" },
  local_shell_call: { status: "string", action: "object" },
  message: { role: "string", content: "parts" },
  reasoning: { summary: "parts" },
  tool_search_call: { execution: "string", arguments: "any" },
  web_search_call: {},
} as const satisfies Partial<Record<ResponseItem["type"], Readonly<Record<string, Shape>>>>;

const CHECKS: Readonly<Record<Shape, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  object: isObject,
  parts: (value) =>
    Array.isArray(value) && value.every((part) => isObject(part) && typeof part["type"] === "string"),
  any: (value) => value !== undefined,
};

/** The unchanged item, or null if a model may not send its type or a required member is missing. */
export function parseOutputItem(value: unknown): ResponseItem | null {
  if (!isObject(value) || typeof value["type"] !== "string" || !Object.hasOwn(MEMBERS, value["type"]))
    return null;
  if (value["type"] === "message" && value["role"] !== "assistant") return null;
  const members: Readonly<Record<string, Shape>> = MEMBERS[value["type"] as keyof typeof MEMBERS];
  const fits = Object.entries(members).every(([name, shape]) => CHECKS[shape](value[name]));
  return fits ? (value as ResponseItem) : null;
}
