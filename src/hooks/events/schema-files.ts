/** JSON Schemas for those who write hooks, as files and their text. */
import { HOOK_EVENTS, type HookEventName, kebabNameOf } from "../hook-event.ts";
import { type SchemaDocument, toJsonSchema } from "../schema/json-schema.ts";
import { hookEventOf } from "./index.ts";

/** Paths are relative to the root of the project. */
export function hookSchemaFiles(): Map<string, string> {
  return new Map(HOOK_EVENTS.flatMap(documentsOf).map((document) => [pathOf(document), write(document)]));
}

/** A hook may be told more one day, and must not break; what it answers is checked to the letter. */
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
