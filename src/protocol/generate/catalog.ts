// Collects the declarations of the rows: every named definition as plain JSON Schema, and which of them clients can
// send.

import { IsOptional } from "typebox";
import type { ResourceGroup } from "../rows/resources.ts";
import type { NotificationRow, RequestRow, ServerRequestRow } from "../rows/row.ts";
import type { Shape } from "../rows/shape.ts";

export type JsonSchema = { [keyword: string]: unknown };

export interface Catalog {
  readonly requests: ReadonlyMap<string, RequestRow>;
  readonly serverRequests: ReadonlyMap<string, ServerRequestRow>;
  readonly notifications: ReadonlyMap<string, NotificationRow>;
  /** In the order of their first use. */
  readonly definitions: ReadonlyMap<string, JsonSchema>;
  /** Definitions that clients send: in params, and in results of server requests. */
  readonly inbound: ReadonlySet<string>;
}

export function createCatalog(resources: readonly ResourceGroup[]): Catalog {
  const requests = merge(resources.map((resource) => resource.requests));
  const serverRequests = merge(resources.map((resource) => resource.serverRequests));
  const notifications = merge(resources.map((resource) => resource.notifications));
  const incoming = [
    ...[...requests.values()].flatMap((row) => (row.params === null ? [] : [row.params])),
    ...[...serverRequests.values()].map((row) => row.result),
  ];
  const shapes = new Map<string, Shape>();
  for (const { params, result } of [...requests.values(), ...serverRequests.values()]) {
    if (params !== null) collect(params, shapes);
    collect(result, shapes);
  }
  for (const { params } of notifications.values()) collect(params, shapes);
  const inboundShapes = new Map<string, Shape>();
  for (const shape of incoming) collect(shape, inboundShapes);
  const inbound = new Set(inboundShapes.keys());
  const summaries = summariesOf(requests, serverRequests, notifications);
  const definitions = new Map(
    [...shapes].map(([name, shape]) => {
      const schema = toJsonSchema(shape, { top: true, inbound: inbound.has(name) });
      const description = summaries.get(name);
      return [name, description === undefined ? schema : { description, ...schema }];
    }),
  );
  return { requests, serverRequests, notifications, definitions, inbound };
}

/** Summaries of the message definitions, by name; the first method wins. */
function summariesOf(
  requests: Catalog["requests"],
  serverRequests: Catalog["serverRequests"],
  notifications: Catalog["notifications"],
): Map<string, string> {
  const summaries = new Map<string, string>();
  const add = (shape: Shape | null, text: string) => {
    if (shape !== null && !summaries.has(definitionName(shape))) summaries.set(definitionName(shape), text);
  };
  for (const [method, { summary, params, result }] of [...requests, ...serverRequests]) {
    add(params, `Params of \`${method}\`: ${summary}`);
    add(result, `Result of \`${method}\`.`);
  }
  for (const [method, { summary, params }] of notifications)
    add(params, `Params of \`${method}\`: ${summary}`);
  return summaries;
}

function merge<Row>(groups: readonly (Readonly<Record<string, Row>> | undefined)[]): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const group of groups) {
    for (const [method, row] of Object.entries(group ?? {})) {
      if (rows.has(method)) throw new Error(`${method} is declared twice`);
      rows.set(method, row);
    }
  }
  return rows;
}

export function definitionName(shape: Shape): string {
  const { $id } = shape as { $id?: unknown };
  if (typeof $id !== "string") throw new Error("params and results must be named definitions");
  return $id;
}

function collect(shape: Shape, found: Map<string, Shape>): void {
  const { $id } = shape as { $id?: unknown };
  if (typeof $id === "string") {
    const known = found.get($id);
    if (known !== undefined) {
      if (JSON.stringify(known) !== JSON.stringify(shape)) throw new Error(`${$id} is declared twice`);
      return;
    }
    found.set($id, shape);
  }
  for (const child of children(shape)) collect(child, found);
}

function children(shape: Shape): Shape[] {
  const { properties, additionalProperties, items, allOf, anyOf } = shape as Record<string, unknown>;
  return [
    ...Object.values((properties ?? {}) as Record<string, Shape>),
    ...(typeof additionalProperties === "object" ? [additionalProperties as Shape] : []),
    ...(items === undefined ? [] : [items as Shape]),
    ...((allOf ?? anyOf ?? []) as Shape[]),
  ];
}

interface Place {
  readonly top?: boolean;
  readonly inbound: boolean;
}

/** Converts a shape to plain JSON Schema: names become references, and required members depend on the direction. */
function toJsonSchema(shape: Shape, place: Place): JsonSchema {
  const {
    $id,
    properties,
    additionalProperties,
    items,
    allOf,
    anyOf,
    required: _,
    ...schema
  } = shape as Record<string, unknown>;
  if (!place.top && typeof $id === "string") return { $ref: $id };
  const inner = (child: Shape) => toJsonSchema(child, { inbound: place.inbound });
  if (Array.isArray(allOf)) return { ...inner(allOf[0]), ...schema };
  delete schema["x-present"];
  if ("enum" in schema) schema["type"] = "string";
  if (isSchema(properties) && Object.keys(properties).length > 0) {
    Object.assign(schema, members(properties as Record<string, Shape>, place, inner));
  }
  if (additionalProperties !== undefined) {
    schema["additionalProperties"] =
      additionalProperties === false ? false : inner(additionalProperties as Shape);
  }
  if (items !== undefined) schema["items"] = inner(items as Shape);
  if (Array.isArray(anyOf)) schema["anyOf"] = anyOf.map((one: Shape) => (isGroup(one) ? one : inner(one)));
  return schema;
}

export const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;

const isGroup = (shape: Shape): boolean => Object.keys(shape).join() === "required";

function members(
  properties: Record<string, Shape>,
  place: Place,
  inner: (child: Shape) => JsonSchema,
): JsonSchema {
  const entries = Object.entries(properties);
  const required = entries
    .filter(
      ([, shape]) => !IsOptional(shape) && !(place.inbound && isNullable(shape) && !("x-present" in shape)),
    )
    .map(([name]) => name);
  // A member that a client omits is null for the server.
  const isNull = (name: string, shape: Shape) =>
    place.inbound && isNullable(shape) && !required.includes(name) && !("default" in shape);
  return {
    properties: Object.fromEntries(
      entries.map(([name, shape]) => [
        name,
        isNull(name, shape) ? { ...inner(shape), default: null } : inner(shape),
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}

export function isNullable(schema: unknown): boolean {
  const { anyOf } = schema as { anyOf?: { type?: unknown }[] };
  return anyOf?.some((one) => one.type === "null") ?? false;
}
