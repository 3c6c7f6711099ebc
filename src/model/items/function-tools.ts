/**
 * The tools of a request as functions, which is all that most wires know, and the way back from a call. A tool
 * that takes free text becomes a function with one string; tools of a namespace carry it in their names; tools that
 * the provider itself would run are left out.
 */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { parseJson, stringOf } from "../provider-input.ts";

export interface FunctionTools {
  readonly functions: readonly ToolFunction[];
  /** The function that stands for a tool. */
  nameOf(tool: ToolName): string;
  /** The item of a call of a function; a name that was never offered is taken as it is. */
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
  /** As the model wrote them, which need not be JSON. */
  readonly arguments: string;
}

interface ToolName {
  readonly name: string;
  readonly namespace?: string | null;
}

interface FoundTool extends ToolName {
  readonly takesText: boolean;
}

const TEXT_PARAMETERS = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
  required: ["input"],
  additionalProperties: false,
};

export function createFunctionTools(tools: readonly unknown[]): FunctionTools {
  const found = new Map<string, FoundTool>();
  const functions: ToolFunction[] = [];

  function add(tool: unknown, namespace: string | null): void {
    if (!isObject(tool)) return;
    const name = stringOf(tool["name"]);
    if (name === null) return;
    if (tool["type"] === "namespace") {
      for (const inner of Array.isArray(tool["tools"]) ? tool["tools"] : []) add(inner, name);
    } else if (tool["type"] === "function" || tool["type"] === "custom") {
      const takesText = tool["type"] === "custom";
      const shown = nameOf({ name, namespace });
      found.set(shown, { name, namespace, takesText });
      functions.push(toFunction(tool, shown, takesText));
    }
  }

  for (const tool of tools) add(tool, null);
  return {
    functions,
    nameOf,
    toCallItem(call) {
      const tool = found.get(call.name) ?? { name: call.name, namespace: null, takesText: false };
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

/** The arguments that stand for a plain text, and back; a model that forgets the wrapping is forgiven. */
export function wrapText(input: string): JsonObject {
  return { input };
}

function unwrapText(args: string): string {
  const parsed = parseJson(args);
  return (isObject(parsed) ? stringOf(parsed["input"]) : null) ?? args;
}
