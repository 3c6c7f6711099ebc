import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { checkShape } from "./check-shape.ts";
import { toJsonSchema } from "./json-schema.ts";
import {
  anything,
  choice,
  constant,
  flag,
  type Infer,
  integer,
  maybe,
  nullable,
  object,
  optional,
  required,
  text,
} from "./shape.ts";

const shape = object({
  name: required(text),
  id: required(nullable(text)),
  kind: optional(choice(["one", "two"])),
  event: maybe(constant("Stop", ["Start"])),
  inner: maybe(object({ count: required(integer), on: optional(flag), name: optional(nullable(text)) })),
  rest: maybe(anything),
});

const faultsOf = (value: unknown, unknownMembers: "refused" | "ignored" = "refused") => {
  const checked = checkShape(shape, value, { unknownMembers });
  return checked.isValid ? [] : checked.faults;
};

describe("a shape", () => {
  test("infers the TypeScript type of its values", () => {
    expectTypeOf<Infer<typeof shape>>().toEqualTypeOf<{
      readonly name: string;
      readonly id: string | null;
      readonly kind?: "one" | "two";
      readonly event?: "Stop" | null;
      readonly inner?: {
        readonly count: number;
        readonly on?: boolean;
        readonly name?: string | null;
      } | null;
      readonly rest?: unknown;
    }>();
  });

  test.each([
    [{ name: "n", id: null }],
    [
      {
        name: "n",
        id: "i",
        kind: "one",
        event: "Start",
        inner: { count: 1, on: true, name: null },
        rest: {},
      },
    ],
    [{ name: "n", id: null, event: null, inner: null, rest: null }],
  ])("fits case %#", (value) => {
    expect(checkShape(shape, value, { unknownMembers: "refused" })).toStrictEqual({ isValid: true, value });
  });

  test.each<[unknown, string[]]>([
    [null, ["expected an object; got null"]],
    [[], ["expected an object; got an array"]],
    ["x", ['expected an object; got "x"']],
    [{}, ["missing field `name`", "missing field `id`"]],
    [{ name: null, id: null }, ["`name`: expected a string; got null"]],
    [{ name: "n", id: 1.5 }, ["`id`: expected a string; got 1.5"]],
    [{ name: "n", id: null, kind: "three" }, ['`kind`: expected one of one, two; got "three"']],
    [{ name: "n", id: null, kind: null }, ["`kind`: expected one of one, two; got null"]],
    [{ name: "n", id: null, event: "End" }, ['`event`: expected "Stop"; got "End"']],
    [
      { name: "n", id: null, inner: { count: 1.5, on: 1, foo: 2 } },
      [
        "`inner.count`: expected an integer; got 1.5",
        "`inner.on`: expected true or false; got 1",
        "unknown field `inner.foo`",
      ],
    ],
    [
      { name: "n", id: null, inner: { count: 1, name: {} } },
      ["`inner.name`: expected a string; got an object"],
    ],
    [JSON.parse('{"name": "n", "id": null, "__proto__": {}}'), ["unknown field `__proto__`"]],
    [Object.create({ name: "n", id: null }), ["missing field `name`", "missing field `id`"]],
  ])("reports why %j does not match", (value, faults) => {
    expect(faultsOf(value)).toStrictEqual(faults);
  });

  test("can ignore undeclared members and returns only the declared ones", () => {
    const value = { name: "n", id: null, foo: 1, inner: { count: 1, bar: 2 } };
    expect(checkShape(shape, value, { unknownMembers: "ignored" })).toStrictEqual({
      isValid: true,
      value: { name: "n", id: null, inner: { count: 1 } },
    });
  });

  test("limits the number and length of its fault messages", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${"k".repeat(100)}${at}`, at]));
    const faults = faultsOf({
      ...many,
      name: "\u{1b}".repeat(1000),
      id: "\u{1f600}".repeat(1000),
      kind: "x".repeat(1000),
    });
    expect(faults).toHaveLength(6);
    expect(faults.at(-1)).toBe("and 996 more");
    expect(faults.every((fault) => fault.length < 150 && !fault.includes("\u{1b}"))).toBe(true);
  });

  test("accepts the same values as its JSON Schema", () => {
    const strict = object({ ...shape.members, event: maybe(constant("Stop")) });
    const validate = new Ajv({ allowUnionTypes: true }).compile(
      toJsonSchema({ title: "test", shape: strict, isOpen: false }),
    );
    const odd = fc.constantFrom<unknown>(null, "one", "Stop", "x", 1, 1.5, true, [], {}, [null, "a"], [1]);
    const values = fc.record(
      {
        name: odd,
        id: odd,
        kind: odd,
        event: odd,
        inner: fc.oneof(odd, fc.record({ count: odd, on: odd, name: odd, foo: odd }, { requiredKeys: [] })),
        rest: odd,
        foo: odd,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(odd, values), (value) => {
        const { isValid } = checkShape(strict, value, { unknownMembers: "refused" });
        expect(isValid).toBe(validate(value));
      }),
      { numRuns: 1000 },
    );
  });
});
