import { expect, test } from "vitest";
import { decodeOutput } from "./decode-output.ts";

const decode = (latin1: string) => decodeOutput(Buffer.from(latin1, "latin1"));

test("is UTF-8 where it can be, with its mark and without a character that was cut", () => {
  expect(decodeOutput(Buffer.from("gr\u00fcn \ud83c\udf3f"))).toBe("gr\u00fcn \ud83c\udf3f");
  expect(decodeOutput(Buffer.from("\ufeffx"))).toBe("\ufeffx");
  expect(decode("h\xc3")).toBe("h");
});

test("is UTF-16 where its mark says so, and the mark is no output", () => {
  expect(decode("\xff\xfe")).toBe("");
  expect(decode("\xff\xfeh\0i\0")).toBe("hi");
  expect(decode("\xfe\xff\0h\0i")).toBe("hi");
});

test("is taken for the usual Western encoding otherwise", () => {
  expect(decode("caf\xe9\n")).toBe("caf\u00e9\n");
  expect(decode("a\xffb")).toBe("a\u00ffb");
  expect(decode("\x93quoted\x94 \x96 \x80\x81\x9f")).toBe("\u201cquoted\u201d \u2013 \u20ac\u0081\u0178");
});
