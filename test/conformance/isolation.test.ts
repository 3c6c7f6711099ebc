import { describe, expect, it } from "vitest";
import { refuse } from "./isolation.ts";

describe("refuse", () => {
  it("answers a query with its id and question and the code for no such name", () => {
    const question = Buffer.from("\x07example\x03com\x00\x00\x01\x00\x01", "latin1");
    const query = Buffer.concat([
      Buffer.from("beef01200001000000000001", "hex"),
      question,
      Buffer.alloc(11, 7),
    ]);
    expect(refuse(query).toString("hex")).toBe(`beef81830001000000000000${question.toString("hex")}`);
  });

  it("survives a query that ends too early", () => {
    expect(refuse(Buffer.from("beef0120000100000000000003", "hex")).readUInt16BE(2)).toBe(0x8183);
  });
});
