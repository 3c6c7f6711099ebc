/** Generates the JSON Schema files for hook authors. */
import { HOOK_EVENTS, type HookEventName, kebabNameOf } from "../hook-event.ts";
import { type SchemaDocument, toJsonSchema } from "../schema/json-schema.ts";
import { hookEventOf } from "./index.ts";

/** Paths are relative to the project root. */
export function hookSchemaFiles(): Map<string, string> {
  return new Map(HOOK_EVENTS.flatMap(documentsOf).map((document) => [pathOf(document), write(document)]));
}

/** Input schemas are open, so that hooks tolerate new members; output is validated strictly. */
function documentsOf(event: HookEventName): SchemaDocument[] {
  const { input, reading } = hookEventOf(event);
  const { output } = reading.codex;
  return [
    { title: `${kebabNameOf(event)}.input`, shape: input, isOpen: true },
    ...(output === null ? [] : [{ title: `${kebabNameOf(event)}.output`, shape: output, isOpen: false }]),
  ];
}

function pathOf({ title }: SchemaDocument): string {
  return `schema/hooks/${title}.schema.json`;
}

function write(document: SchemaDocument): string {
  return `${JSON.stringify(toJsonSchema(document), null, 2)}\n`;
}
