/** Derives a JSON Schema from a shape, for hook authors. */
import type { HookShape } from "./shape.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface SchemaDocument {
  readonly title: string;
  readonly shape: HookShape;
  /** Whether undeclared members are allowed. */
  readonly isOpen: boolean;
}

/** JSON Schema draft 7. */
export function toJsonSchema({ title, shape, isOpen }: SchemaDocument): JsonSchema {
  return { $schema: "http://json-schema.org/draft-07/schema#", title, ...schemaOf(shape, isOpen) };
}

function schemaOf(shape: HookShape, isOpen: boolean): JsonSchema {
  switch (shape.kind) {
    case "text":
      return { type: "string" };
    case "flag":
      return { type: "boolean" };
    case "integer":
      return { type: "integer" };
    case "anything":
      return {};
    case "choice":
      return { type: "string", enum: shape.values };
    case "constant":
      return { type: "string", const: shape.value };
    case "nullable":
      return orNull(schemaOf(shape.of, isOpen));
    case "object": {
      const members = Object.entries(shape.members);
      const names = members.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
      return {
        type: "object",
        properties: Object.fromEntries(
          members.map(([name, { shape, note }]) => [
            name,
            { ...(note === null ? {} : { description: note }), ...schemaOf(shape, isOpen) },
          ]),
        ),
        ...(names.length === 0 ? {} : { required: names }),
        ...(isOpen ? {} : { additionalProperties: false }),
      };
    }
  }
}

function orNull(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema;
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  const widened = { ...schema, type: [type, "null"] };
  return Array.isArray(values) ? { ...widened, enum: [...(values as unknown[]), null] } : widened;
}
