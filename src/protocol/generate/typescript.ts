// Generates TypeScript declarations of the definitions and the method maps.

import { type Catalog, definitionName, isNullable, type JsonSchema } from "./catalog.ts";

const lineWidth = 90;

export function writeTypes(catalog: Catalog): string {
  const declarations = [...catalog.definitions].map(([name, schema]) => declaration(name, schema));
  return [...declarations, ...methodMaps(catalog)].join("\n\n").concat("\n");
}

function declaration(name: string, schema: JsonSchema): string {
  return `${comment(schema, "")}export type ${name} = ${typeOf(schema, "")};`.replace("= \n", "=\n");
}

function methodMaps({ requests, serverRequests, notifications }: Catalog): string[] {
  const requestLines = [...requests].map(([method, row]) => {
    const params = row.params === null ? "undefined" : definitionName(row.params);
    const optional = row.paramsOptional && row.params !== null ? " | undefined" : "";
    return entry(
      method,
      `{ params: ${params}${optional}; result: ${definitionName(row.result)} }`,
      row.summary,
    );
  });
  const serverLines = [...serverRequests].map(([method, row]) =>
    entry(
      method,
      `{ params: ${definitionName(row.params)}; result: ${definitionName(row.result)} }`,
      row.summary,
    ),
  );
  const notificationLines = [...notifications].map(([method, row]) =>
    entry(method, definitionName(row.params), row.summary),
  );
  return [
    typeMap("What a client can ask of the server.", "ClientRequests", requestLines),
    typeMap("What the server can ask of a client.", "ServerRequests", serverLines),
    typeMap("What the server tells its clients.", "ServerNotifications", notificationLines),
  ];
}

const entry = (method: string, type: string, summary: string): string =>
  `  /** ${summary} */\n  ${key(method)}: ${type};`;

const typeMap = (summary: string, name: string, lines: string[]): string =>
  `/** ${summary} */\nexport type ${name} = {\n${lines.join("\n")}\n};`;

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function comment(schema: JsonSchema, indent: string): string {
  const { description, "x-experimental": experimental } = schema;
  const parts = [
    ...(typeof description === "string" ? [description] : []),
    ...(experimental === undefined ? [] : ["@experimental"]),
  ];
  return parts.length === 0 ? "" : `${indent}/** ${parts.join(" ")} */\n`;
}

function typeOf(schema: JsonSchema, indent: string): string {
  if (typeof schema["$ref"] === "string") return schema["$ref"];
  if (Array.isArray(schema["enum"])) return wordsOf(schema["enum"], indent);
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (schema["type"] === "object") return objectOf(schema, indent);
  if (Array.isArray(schema["anyOf"])) return unionOf(schema["anyOf"] as JsonSchema[], indent);
  return scalarOf(schema, indent);
}

function wordsOf(words: unknown[], indent: string): string {
  const types = words.map((word) => JSON.stringify(word));
  const line = types.join(" | ");
  if (line.length + indent.length <= lineWidth) return line;
  return types.map((type) => `\n${indent}  | ${type}`).join("");
}

function scalarOf(schema: JsonSchema, indent: string): string {
  switch (schema["type"]) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "integer":
    case "number":
      return "number";
    case "null":
      return "null";
    case "array":
      return arrayOf(typeOf(schema["items"] as JsonSchema, indent));
    case undefined:
      return "unknown";
    default:
      throw new Error(`no TypeScript for ${JSON.stringify(schema)}`);
  }
}

const arrayOf = (item: string): string => (/[|&\n ]/.test(item) ? `Array<${item}>` : `${item}[]`);

function unionOf(all: JsonSchema[], indent: string): string {
  const schemas = all.filter((schema) => schema["x-open"] !== true);
  const flat = schemas.map((schema) => typeOf(schema, indent));
  if (flat.includes("unknown")) return "unknown";
  if (schemas.some(isNull)) return flat.join(" | ");
  const line = flat.join(" | ");
  if (line.length + indent.length <= lineWidth && !line.includes("\n")) return line;
  return schemas
    .flatMap((schema) => alternatives(schema, `${indent}    `))
    .map((type) => `\n${indent}  | ${type}`)
    .join("");
}

const alternatives = (schema: JsonSchema, indent: string): string[] =>
  Array.isArray(schema["enum"])
    ? schema["enum"].map((word) => JSON.stringify(word))
    : [typeOf(schema, indent)];

const isNull = (schema: JsonSchema): boolean => schema["type"] === "null";

function objectOf(schema: JsonSchema, indent: string): string {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema["required"] ?? []) as string[]);
  const others = schema["additionalProperties"];
  const lines = properties.map(([name, member]) => {
    const mark = required.has(name) ? "" : "?";
    return `${comment(member, `${indent}  `)}${indent}  ${key(name)}${mark}: ${typeOf(member, `${indent}  `)};`;
  });
  if (typeof others === "object" && others !== null) {
    lines.push(`${indent}  [key: string]: ${indexType(others as JsonSchema, properties, `${indent}  `)};`);
  }
  if (lines.length === 0) return "Record<string, never>";
  const flat = `{ ${lines.map((line) => line.trim().replace(/;$/, "")).join("; ")} }`;
  const simple =
    lines.length <= 4 &&
    flat.length + indent.length <= lineWidth &&
    !flat.includes("\n") &&
    !flat.includes("/**");
  return simple ? flat : `{\n${lines.join("\n")}\n${indent}}`;
}

/** The index signature must also admit the known members. */
function indexType(others: JsonSchema, properties: [string, JsonSchema][], indent: string): string {
  const types = new Set([typeOf(others, indent)]);
  for (const [, member] of properties) {
    if (isNullable(member)) types.add("null");
    types.add(typeOf(member, indent).replace(/ \| null$/, ""));
  }
  return types.has("unknown") ? "unknown" : [...types].join(" | ");
}
