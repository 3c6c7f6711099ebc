const DEEPEST = 8;

/** The simplest value that follows a JSON schema, with the text wherever a string is wanted. */
export function fillSchema(schema: unknown, text: string, depth = 0): unknown {
  if (!isObject(schema) || depth > DEEPEST) return null;
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  const { type } = schema;
  switch (Array.isArray(type) ? type[0] : type) {
    case "object": {
      const properties = isObject(schema["properties"]) ? schema["properties"] : {};
      return Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, fillSchema(inner, text, depth + 1)]),
      );
    }
    case "array":
      return [];
    case "string":
      return text;
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    default:
      return null;
  }
}

import { isObject } from "../../base/json-object.ts";
