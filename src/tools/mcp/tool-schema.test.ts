import { describe, expect, test } from "vitest";
import { toToolSchema } from "./tool-schema.ts";

const schema = (input: unknown) => toToolSchema(input, 5_000);

describe("the schema of a tool", () => {
  test.each([
    ["has properties even where the server gave none", {}, { type: "object", properties: {} }],
    [
      "keeps what providers know and drops the rest",
      {
        type: "object",
        $schema: "https://json-schema.org/draft-07/schema#",
        title: "T",
        properties: { b: { type: "string", default: "x", minLength: 1 }, a: { type: ["integer", "null"] } },
        required: ["b"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { a: { type: ["integer", "null"] }, b: { type: "string" } },
        required: ["b"],
        additionalProperties: false,
      },
    ],
    [
      "turns a constant into a choice of one",
      { properties: { k: { const: "a" } } },
      { type: "object", properties: { k: { type: "string", enum: ["a"] } } },
    ],
    [
      "guesses types from what goes with them",
      {
        properties: {
          list: { items: {} },
          map: { required: ["x"] },
          low: { minimum: 1 },
          any: { title: "?" },
        },
      },
      {
        type: "object",
        properties: {
          any: {},
          list: { type: "array", items: {} },
          low: { type: "number" },
          map: { type: "object", properties: {}, required: ["x"] },
        },
      },
    ],
    [
      "leaves alternatives without a type of their own",
      { properties: { o: { oneOf: [{ type: "string" }, true] } } },
      { type: "object", properties: { o: { oneOf: [{ type: "string" }, { type: "string" }] } } },
    ],
    [
      "keeps only definitions that something refers to",
      {
        properties: { u: { $ref: "#/$defs/User/properties/name" } },
        $defs: { User: { $ref: "#/$defs/Name" }, Name: { type: "string" }, Unused: { type: "string" } },
      },
      {
        type: "object",
        properties: { u: { $ref: "#/$defs/User/properties/name" } },
        $defs: { Name: { type: "string" }, User: { $ref: "#/$defs/Name" } },
      },
    ],
  ])("%s", (_, input, expected) => {
    expect(schema(input)).toEqual(expected);
  });

  test("that no call can meet is none", () => {
    expect(schema({ type: "null" })).toBe(null);
  });
});

describe("a schema beyond its budget", () => {
  const deep = {
    type: "object",
    description: "d".repeat(100),
    properties: {
      a: {
        type: "object",
        properties: { b: { type: "object", properties: { c: { type: "object", properties: {} } } } },
      },
      r: { $ref: "#/$defs/R" },
      s: { anyOf: [{ type: "string", description: "e".repeat(50) }] },
    },
    $defs: { R: { type: "string" } },
  };

  test.each([
    [1_000, deep],
    [
      220,
      {
        type: "object",
        properties: {
          a: {
            type: "object",
            properties: { b: { type: "object", properties: { c: { type: "object", properties: {} } } } },
          },
          r: {},
          s: { anyOf: [{ type: "string" }] },
        },
      },
    ],
    [
      180,
      {
        type: "object",
        properties: {
          a: { type: "object", properties: { b: { type: "object", properties: { c: {} } } } },
          r: {},
          s: { anyOf: [{ type: "string" }] },
        },
      },
    ],
    [
      10,
      {
        type: "object",
        properties: {
          a: { type: "object", properties: { b: { type: "object", properties: { c: {} } } } },
          r: {},
          s: {},
        },
      },
    ],
  ])("of %i bytes loses no more than it must", (bytes, expected) => {
    expect(toToolSchema(deep, bytes)).toEqual(expected);
  });
});
