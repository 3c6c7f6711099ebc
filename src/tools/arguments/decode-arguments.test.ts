import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyJson,
  choice,
  count,
  decodeArguments,
  flag,
  list,
  maybe,
  struct,
  text,
} from "./decode-arguments.ts";

const STEP = struct("Step", { step: text, status: choice("open", "done", "left") }, { isClosed: true });
const ARGUMENTS = struct("Arguments", {
  why: maybe(text),
  steps: list(STEP),
  size: maybe(count),
  loud: maybe(flag),
});

function messageFor(input: string): string {
  const decoded = decodeArguments(input, ARGUMENTS);
  return decoded.kind === "wrong" ? decoded.message.replace("failed to parse function arguments: ", "") : "";
}

describe("the arguments of a call", () => {
  it("are decoded to their shapes, with null for absent members", () => {
    expect(decodeArguments('{"steps":[{"step":"a","status":"open"}],"other":1}', ARGUMENTS)).toStrictEqual({
      kind: "value",
      value: { why: null, steps: [{ step: "a", status: "open" }], size: null, loud: null },
    });
  });

  it.each([
    ["", "EOF while parsing a value at line 1 column 0"],
    ["nojson", "expected ident at line 1 column 2"],
    ["{}", "missing field `steps` at line 1 column 2"],
    ['{"steps":"x"}', 'invalid type: string "x", expected a sequence at line 1 column 12'],
    ['{"steps":[4]}', "invalid type: integer `4`, expected struct Step at line 1 column 11"],
    ['{"steps":[],"why":3}', "invalid type: integer `3`, expected a string at line 1 column 19"],
    ['{"steps":[{"status":"open"}]}', "missing field `step` at line 1 column 27"],
    [
      '{"steps":[{"step":"a","status":"nope"}]}',
      "unknown variant `nope`, expected one of `open`, `done`, `left` at line 1 column 37",
    ],
    ['{"steps":[{"step":"a","x":1}]}', "unknown field `x`, expected `step` or `status` at line 1 column 25"],
    ['{"steps":[],\n"size":-1}', "invalid value: integer `-1`, expected u64 at line 2 column 9"],
    ['{"steps":[],"size":1.5}', "invalid type: floating point `1.5`, expected u64 at line 1 column 22"],
    ['{"steps":[],"loud":null,"why":{}}', "invalid type: map, expected a string at line 1 column 31"],
    ['{"steps":[]', "EOF while parsing an object at line 1 column 11"],
    ['{"steps":[],}', "trailing comma at line 1 column 13"],
    ['{"steps":[]} x', "trailing characters at line 1 column 14"],
    ["{steps:[]}", "key must be a string at line 1 column 2"],
    ['{"steps" []}', "expected `:` at line 1 column 10"],
    ['{"steps":["\\x"]}', "invalid escape at line 1 column 13"],
  ])("%s is rejected with its position", (input, message) => {
    expect(messageFor(input)).toBe(message);
  });

  it("are parsed as `JSON.parse` does, which also rejects the same texts", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const input = JSON.stringify(value);
        const usual: unknown = JSON.parse(input);
        expect(decodeArguments(input, anyJson)).toStrictEqual({ kind: "value", value: usual });
        const cut = input.slice(0, -1);
        const isJson = canParse(cut);
        expect(decodeArguments(cut, anyJson).kind).toBe(isJson ? "value" : "wrong");
      }),
    );
  });
});

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
