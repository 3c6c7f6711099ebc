import { describe, expect, test } from "vitest";
import { createTextFrameEncoder } from "./text-frames.ts";

describe("a frame of text", () => {
  /** RFC 6455, section 5.2: the length is in 7 bits, or in the 16 or 64 bits that follow 126 or 127. */
  test.each([
    [0, "8100"],
    [125, "817d"],
    [126, "817e007e"],
    [65_535, "817effff"],
    [65_536, "817f0000000000010000"],
  ])("has the header for %i bytes", (length, header) => {
    const text = "x".repeat(length);
    expect(createTextFrameEncoder()([text]).toString("latin1")).toBe(
      Buffer.from(header, "hex").toString("latin1") + text,
    );
  });

  test("has its length in bytes, and no half of a surrogate pair", () => {
    expect(createTextFrameEncoder()(["é🙂\ud83d"]).toString("hex")).toBe("8109c3a9f09f9982efbfbd");
  });
});

describe("the frames of a write", () => {
  test("follow one another", () => {
    expect(createTextFrameEncoder()(["a", "", "bc"]).toString("hex")).toBe("810161810081026263");
  });

  test("are the same bytes for connections that are sent the same messages", () => {
    const encode = createTextFrameEncoder();
    expect(encode(["a", "b"])).toBe(encode(["a", "b"]));
  });

  test.each([
    { case: "others", texts: ["a", "c"] },
    { case: "fewer", texts: ["a"] },
    { case: "more", texts: ["a", "b", "b"] },
    { case: "none", texts: [] },
  ])("are not shared with a connection that is sent $case", ({ texts }) => {
    const encode = createTextFrameEncoder();
    encode(["a", "b"]);
    expect(encode(texts)).toStrictEqual(createTextFrameEncoder()(texts));
  });
});
