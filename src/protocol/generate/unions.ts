// The messages of each direction as one definition each, for programs that generate their types from JSON Schema.

import { type Catalog, type JsonSchema, nameOf } from "./catalog.ts";

interface Message {
  readonly method: string;
  readonly summary: string;
  readonly params: string | null;
  readonly paramsOptional: boolean;
}

export function messageUnions({ requests, serverRequests, notifications }: Catalog): Map<string, JsonSchema> {
  const messagesOf = (rows: Catalog["requests"] | Catalog["serverRequests"] | Catalog["notifications"]) =>
    [...rows].map(
      ([method, row]): Message => ({
        method,
        summary: row.summary,
        params: row.params === null ? null : nameOf(row.params),
        paramsOptional: "paramsOptional" in row,
      }),
    );
  return new Map([
    ["ClientRequest", union("A request of a client.", messagesOf(requests), true)],
    ["ServerRequest", union("A request of the server.", messagesOf(serverRequests), true)],
    ["ServerNotification", union("A notification of the server.", messagesOf(notifications), false)],
  ]);
}

function union(description: string, messages: readonly Message[], hasId: boolean): JsonSchema {
  return { description, oneOf: messages.map((message) => toSchema(message, hasId)) };
}

function toSchema({ method, summary, params, paramsOptional }: Message, hasId: boolean): JsonSchema {
  const required = [
    ...(hasId ? ["id"] : []),
    "method",
    ...(params === null || paramsOptional ? [] : ["params"]),
  ];
  return {
    title: method,
    description: summary,
    type: "object",
    properties: {
      ...(hasId ? { id: { $ref: "RequestId" } } : {}),
      method: { type: "string", enum: [method] },
      ...(params === null ? {} : { params: { $ref: params } }),
    },
    required,
  };
}
