import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { headerTexts, signToken } from "./http-probe.ts";

const NOW = new Date(1_000_000_000);

describe("signToken", () => {
  it("signs claims with times relative to now", () => {
    const token = signToken({ secret: "s", claims: { iss: "me" }, expiresIn: 60, validIn: -5 }, NOW);
    const [header, claims, signature] = token.split(".");
    expect(JSON.parse(Buffer.from(claims ?? "", "base64url").toString())).toEqual({
      iss: "me",
      exp: 1_000_060,
      nbf: 999_995,
    });
    expect(signature).toBe(createHmac("sha256", "s").update(`${header}.${claims}`).digest("base64url"));
  });
});

describe("headerTexts", () => {
  it("turns a token into a bearer header and leaves texts alone", () => {
    const headers = headerTexts({ origin: "x", authorization: { secret: "s", claims: {} } }, NOW);
    expect(headers["origin"]).toBe("x");
    expect(headers["authorization"]).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/u);
  });
});
