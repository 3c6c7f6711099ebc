/**
 * The tools of a request as functions, which is all that Chat Completions knows, and the way back from a call. A tool
 * that takes free text becomes a function with one string; tools of a namespace carry it in their names; tools that
 * the provider itself would run are left out.
 */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { parseJson, stringOf } from "../provider-input.ts";

export interface ChatTools {
  readonly specs: readonly JsonObject[];
  /** The function that stands for a tool. */
  nameOf(tool: ToolName): string;
  /** The tool that a function stands for; a name that was never offered is taken as it is. */
  find(functionName: string): FoundTool;
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

export function createChatTools(tools: readonly unknown[]): ChatTools {
  const found = new Map<string, FoundTool>();
  const specs: JsonObject[] = [];

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
      specs.push({ type: "function", function: toFunction(tool, shown, takesText) });
    }
  }

  for (const tool of tools) add(tool, null);
  return { specs, nameOf, find: (name) => found.get(name) ?? { name, namespace: null, takesText: false } };
}

function nameOf({ name, namespace }: ToolName): string {
  return namespace === null || namespace === undefined ? name : `${namespace}__${name}`;
}

function toFunction(tool: JsonObject, name: string, takesText: boolean): JsonObject {
  return {
    name,
    description: stringOf(tool["description"]) ?? "",
    parameters: takesText ? TEXT_PARAMETERS : (tool["parameters"] ?? { type: "object", properties: {} }),
    ...(tool["strict"] === true ? { strict: true } : {}),
  };
}

/** The arguments that stand for a plain text, and back; a model that forgets the wrapping is forgiven. */
export function wrapText(input: string): string {
  return JSON.stringify({ input });
}

export function unwrapText(args: string): string {
  const parsed = parseJson(args);
  return (isObject(parsed) ? stringOf(parsed["input"]) : null) ?? args;
}
