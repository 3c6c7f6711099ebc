import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Entry } from "./recording.ts";
import { createSchemaCheck, type SchemaCheck } from "./schema-check.ts";

const message = (method: string, params: unknown) => ({
  type: "object",
  properties: { method: { enum: [method] }, params },
  required: ["method", "params"],
});
const FILES = {
  "ClientRequest.json": {
    oneOf: [message("thing/read", { $ref: "#/definitions/ThingReadParams" })],
    definitions: { ThingReadParams: {} },
  },
  "ServerNotification.json": {
    oneOf: [message("thing/changed", { $ref: "#/definitions/Thing" })],
    definitions: { Thing: { type: "object", required: ["id"] } },
  },
  "ServerRequest.json": { oneOf: [], definitions: {} },
  "JSONRPCError.json": { type: "object", required: ["id", "error"] },
  "ThingReadResponse.json": { type: "object", properties: { size: { type: "integer" } }, required: ["size"] },
};

let folder: string;
let check: SchemaCheck;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-schema-"));
  for (const [file, schema] of Object.entries(FILES))
    await writeFile(join(folder, file), JSON.stringify(schema));
  check = createSchemaCheck(folder);
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

type Sent = NonNullable<Entry["sent"]>;

function problems(kind: Sent["kind"], method: string | undefined, value: unknown): string[] {
  return check({ entries: [{ channel: "main", key: "it", value, sent: { kind, method } }], unmet: [] });
}

describe("createSchemaCheck", () => {
  it("checks a result against the schema of the method that was asked", () => {
    expect(problems("response", "thing/read", { id: 1, result: { size: 5 } })).toEqual([]);
    expect(problems("response", "thing/read", { id: 1, result: { size: "5" } })).toEqual([
      "it: /size must be integer",
    ]);
  });

  it("checks notifications by method and does not know those that the peer never sends", () => {
    expect(problems("notification", "thing/changed", { method: "thing/changed", params: { id: 1 } })).toEqual(
      [],
    );
    expect(problems("notification", "thing/changed", { method: "thing/changed", params: {} })).toEqual([
      "it: /params must have required property 'id'",
    ]);
    expect(problems("notification", "thing/lost", { method: "thing/lost", params: {} })).toEqual([
      "it: the peer's schemas do not know a notification named thing/lost",
    ]);
  });

  it("accepts error answers of any method and refuses what is no message", () => {
    expect(problems("response", undefined, { id: 1, error: {} })).toEqual([]);
    expect(problems("other", undefined, { text: "junk" })).toEqual(["it: not a JSON-RPC message"]);
  });
});
