import { expect, test } from "vitest";
import { parseMetadata, readMetadata } from "./read-metadata.ts";

const SERVER = "https://a.test/mcp";
const PLACE = "https://a.test/.well-known/oauth-authorization-server/mcp";
const ENDPOINTS = { authorization_endpoint: "https://a.test/auth", token_endpoint: "https://a.test/token" };
const parse = (value: unknown) => parseMetadata(JSON.stringify(value), PLACE, SERVER);

test("a server that says the least is who was asked, and takes codes", () => {
  expect(parse(ENDPOINTS)).toEqual({ ...ENDPOINTS, issuer: SERVER, response_types_supported: ["code"] });
});

test("what is not of its kind is left out, and what is not known", () => {
  const odd = { scopes_supported: ["a", 1], registration_endpoint: "nowhere", more: 1, __proto__: { x: 1 } };
  expect(parse({ ...ENDPOINTS, ...odd, grant_types_supported: ["refresh_token"] })).toEqual({
    ...ENDPOINTS,
    issuer: SERVER,
    response_types_supported: ["code"],
    grant_types_supported: ["refresh_token"],
  });
});

test.each([
  [{ ...ENDPOINTS, token_endpoint: undefined }, "`token_endpoint` is not a URL"],
  [{ ...ENDPOINTS, authorization_endpoint: 7 }, "`authorization_endpoint` is not a URL"],
  [{ ...ENDPOINTS, issuer: "https://other.test" }, "it is that of another `issuer` than https://a.test/mcp"],
  [{ ...ENDPOINTS, issuer: null }, "it is that of another `issuer` than https://a.test/mcp"],
  [[], "it is not a JSON object"],
])("%j describes no server", (value, reason) => {
  expect(() => parse(value)).toThrow(`${PLACE} does not describe an authorization server: ${reason}`);
});

test("what is not there is looked for elsewhere, and a server that fails is a fault", async () => {
  const asked: string[] = [];
  const answer = (status: number) => async (url: string | URL) => {
    asked.push(String(url));
    return new Response("", { status });
  };
  expect(await readMetadata(SERVER, answer(404))).toBeNull();
  expect(asked).toEqual([
    PLACE,
    "https://a.test/.well-known/openid-configuration/mcp",
    "https://a.test/mcp/.well-known/openid-configuration",
  ]);
  await expect(readMetadata(SERVER, answer(503))).rejects.toThrow(`${PLACE} answered with status 503`);
});
