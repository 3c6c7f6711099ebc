import type { TextRequest } from "../../model/model.ts";

/** How the provider is told that the answer must follow a schema; null when any answer will do. */
export function toOutputFormat(schema: unknown): NonNullable<TextRequest["format"]> | null {
  if (schema === undefined || schema === null) return null;
  return { type: "json_schema", strict: true, schema, name: "codex_output_schema" };
}
