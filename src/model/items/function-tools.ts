/**
 * Converts the tools of a request to functions, which is all that most wire formats support, and function calls back to
 * items. A free-text tool becomes a function with one string parameter, namespaces become name prefixes, and tools that
 * the provider itself would run are dropped.
 */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { parseJson, stringOf } from "../provider-input.ts";

export interface FunctionTools {
  readonly functions: readonly ToolFunction[];
  /** The function name of a tool. */
  nameOf(tool: ToolName): string;
  /** Converts a function call to an item; an unknown name is passed unchanged. */
  toCallItem(call: FunctionCall): ResponseItem;
}

export interface ToolFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly strict?: true;
}

export interface FunctionCall {
  readonly id: string;
  readonly name: string;
  /** The raw arguments from the model, which may be invalid JSON. */
  readonly arguments: string;
}

interface ToolName {
  readonly name: string;
  readonly namespace?: string | null;
}

interface OfferedTool extends ToolName {
  readonly takesText: boolean;
}

const TEXT_PARAMETERS = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
  required: ["input"],
  additionalProperties: false,
};

export function createFunctionTools(tools: readonly unknown[]): FunctionTools {
  const byFunctionName = new Map<string, OfferedTool>();
  const functions: ToolFunction[] = [];

  function add(tool: unknown, namespace: string | null): void {
    if (!isObject(tool)) return;
    const name = stringOf(tool["name"]);
    if (name === null) return;
    if (tool["type"] === "namespace") {
      for (const inner of Array.isArray(tool["tools"]) ? tool["tools"] : []) add(inner, name);
    } else if (tool["type"] === "function" || tool["type"] === "custom") {
      const takesText = tool["type"] === "custom";
      const functionName = nameOf({ name, namespace });
      byFunctionName.set(functionName, { name, namespace, takesText });
      functions.push(toFunction(tool, functionName, takesText));
    }
  }

  for (const tool of tools) add(tool, null);
  return {
    functions,
    nameOf,
    toCallItem(call) {
      const tool = byFunctionName.get(call.name) ?? { name: call.name, namespace: null, takesText: false };
      const { name, namespace, takesText } = tool;
      const from = namespace === null || namespace === undefined ? {} : { namespace };
      return takesText
        ? { type: "custom_tool_call", call_id: call.id, name, ...from, input: unwrapText(call.arguments) }
        : { type: "function_call", call_id: call.id, name, ...from, arguments: call.arguments || "{}" };
    },
  };
}

function nameOf({ name, namespace }: ToolName): string {
  return namespace === null || namespace === undefined ? name : `${namespace}__${name}`;
}

function toFunction(tool: JsonObject, name: string, takesText: boolean): ToolFunction {
  return {
    name,
    description: stringOf(tool["description"]) ?? "",
    parameters: takesText ? TEXT_PARAMETERS : (tool["parameters"] ?? { type: "object", properties: {} }),
    ...(tool["strict"] === true ? { strict: true } : {}),
  };
}

/** The arguments of a free-text tool. */
export function wrapText(input: string): JsonObject {
  return { input };
}

/** Accepts unwrapped text, because some models omit the wrapper. */
function unwrapText(args: string): string {
  const parsed = parseJson(args);
  return (isObject(parsed) ? stringOf(parsed["input"]) : null) ?? args;
}
