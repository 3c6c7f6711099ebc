import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ALL_SCOPES } from "../protocol/access/scopes.ts";
import type { TokenHolder } from "./token-holder.ts";
import { openWebSocketAuth, type WebSocketAuthFlags } from "./websocket-auth.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-auth-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOW = 1_000_000;
const SECRET = "0123456789abcdef0123456789abcdef";
const faults: string[] = [];
const onFault = (message: string) => void faults.push(message);
const open = (flags: WebSocketAuthFlags) =>
  openWebSocketAuth(flags, { cwd: folder, nowSeconds: () => NOW, onFault });

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

function jwt(claims: object, { secret = SECRET, ...header }: Record<string, unknown> = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return sign(`${part({ alg: "HS256", typ: "JWT", ...header })}.${part(claims)}`, String(secret));
}

function sign(body: string, secret = SECRET): string {
  return `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
}

test("without flags there is no check", () => {
  expect(open({})).toBeNull();
});

describe("flags", () => {
  const token = { mode: "capability-token" } as const;
  const signed = { mode: "signed-bearer-token" } as const;
  test.each<[WebSocketAuthFlags, string]>([
    [
      { tokenFile: "x" },
      "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`",
    ],
    [{ issuer: "x" }, "websocket auth flags require"],
    [token, "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set"],
    [
      { ...token, tokenFile: "a", tokenSha256: "b" },
      "`--ws-token-file` and `--ws-token-sha256` are mutually exclusive",
    ],
    [{ ...token, tokenSha256: "zz" }, "--ws-token-sha256 must be a 64-character hex SHA-256 digest"],
    [
      { ...token, tokenFile: "absent" },
      `failed to read websocket auth secret ${folder}/absent: No such file or directory (os error 2)`,
    ],
    [{ ...token, tokenFile: file("empty", " \n") }, "must not be empty"],
    [
      { ...token, tokenSha256: "a", audience: "x" },
      "and `--ws-max-clock-skew-seconds` require `--ws-auth signed-bearer-token`",
    ],
    [signed, "`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set"],
    [{ ...signed, tokenFile: "x" }, "require `--ws-auth capability-token`, not `signed-bearer-token`"],
    [
      { ...signed, sharedSecretFile: file("short", "too-short") },
      `signed websocket bearer secret ${folder}/short must be at least 32 bytes`,
    ],
  ])("%j do not start a server", (flags, message) => {
    expect(() => open(flags)).toThrow(message);
  });
});

describe("a capability token", () => {
  const digest = createHash("sha256").update("secret").digest("hex");
  test.each([
    ["from a file", { tokenFile: file("token", "secret\n") }],
    ["by its digest", { tokenSha256: digest.toUpperCase() }],
  ])("%s opens the door, and nothing else does", (_, source) => {
    const refuse = open({ mode: "capability-token", ...source });
    expect(refuse?.("Bearer secret")).toBeNull();
    expect(refuse?.("bearer  secret ")).toBeNull();
    expect(refuse?.(undefined)).toBe("missing websocket bearer token");
    expect(refuse?.("Bearer wrong")).toBe("invalid websocket bearer token");
    for (const header of [
      "Basic secret",
      "Bearer",
      "Bearer  ",
      "",
      "Bearer secret\u00a0",
      "Bearer secret\t",
    ]) {
      expect(refuse?.(header)).toBe("invalid authorization header");
    }
    for (const header of ["Bearer secret,", "Bearer secret, Bearer secret", "Bearer Bearer secret"]) {
      expect(refuse?.(header)).toBe("invalid websocket bearer token");
    }
  });
});

describe("a replaced secret", () => {
  test("invalidates the old one", () => {
    const judge = open({ mode: "capability-token", tokenFile: file("rotated", "first") });
    expect(judge?.("Bearer first")).toBeNull();
    file("rotated", "second-one");
    expect([judge?.("Bearer first"), judge?.("Bearer second-one")]).toEqual([
      "invalid websocket bearer token",
      null,
    ]);
    renameSync(join(folder, file("next", "third")), join(folder, "rotated"));
    expect([judge?.("Bearer second-one"), judge?.("Bearer third")]).toEqual([
      "invalid websocket bearer token",
      null,
    ]);
  });

  test("stays in use if the new one is unusable, which is reported once", () => {
    const judge = open({ mode: "capability-token", tokenFile: file("emptied", "first") });
    faults.length = 0;
    file("emptied", "");
    for (const _ of [1, 2]) expect(judge?.("Bearer first")).toBeNull();
    rmSync(join(folder, "emptied"));
    expect(judge?.("Bearer first")).toBeNull();
    expect(faults).toEqual([expect.stringContaining("must not be empty; the one before stays in use")]);
    file("emptied", "again");
    expect([judge?.("Bearer first"), judge?.("Bearer again")]).toEqual([
      "invalid websocket bearer token",
      null,
    ]);
  });

  test("verifies later tokens", () => {
    const judge = open({ mode: "signed-bearer-token", sharedSecretFile: file("signing", SECRET) });
    const other = "x".repeat(40);
    const [before, after] = [jwt({ exp: NOW }), jwt({ exp: NOW }, { secret: other })];
    expect(judge?.(`Bearer ${after}`)).toBe("invalid websocket jwt");
    file("signing", other);
    expect(judge?.(`Bearer ${before}`)).toBe("invalid websocket jwt");
    expect(judge?.(`Bearer ${after}`)).toMatchObject({ subject: null });
  });
});

describe("a signed token", () => {
  const refuse = open({
    mode: "signed-bearer-token",
    sharedSecretFile: file("secret", SECRET),
    issuer: "me",
    audience: "heddle",
    maxClockSkewSeconds: 10,
  });
  const good = { exp: NOW, iss: "me", aud: "heddle" };
  test.each<[string, string, string | null]>([
    ["that holds", jwt(good), null],
    ["for several audiences", jwt({ ...good, aud: ["x", "heddle"] }), null],
    ["within the skew", jwt({ ...good, exp: NOW - 10, nbf: NOW + 10 }), null],
    ["that has expired", jwt({ ...good, exp: NOW - 11 }), "expired websocket jwt"],
    ["that is not valid yet", jwt({ ...good, nbf: NOW + 11 }), "websocket jwt is not valid yet"],
    ["of another issuer", jwt({ ...good, iss: "you" }), "websocket jwt issuer mismatch"],
    ["without an issuer", jwt({ exp: NOW, aud: "heddle" }), "websocket jwt issuer mismatch"],
    ["for somebody else", jwt({ ...good, aud: ["x"] }), "websocket jwt audience mismatch"],
    ["that never expires", jwt({ iss: "me", aud: "heddle" }), "invalid websocket jwt"],
    ["with another secret", jwt(good, { secret: "x".repeat(32) }), "invalid websocket jwt"],
    ["with another algorithm", jwt(good, { alg: "none" }), "invalid websocket jwt"],
    ["that is none", "a.b", "invalid websocket jwt"],
    ["with more parts", `${jwt(good)}.x`, "invalid websocket jwt"],
    [
      "with an extension that is not known",
      jwt(good, { crit: ["b64"], b64: false }),
      "invalid websocket jwt",
    ],
    ["that expires at no whole second", jwt({ ...good, exp: NOW + 0.5 }), "invalid websocket jwt"],
    ["that expires beyond all time", jwt({ ...good, exp: 1e300 }), "invalid websocket jwt"],
    ["that expires in words", jwt({ ...good, exp: `${NOW}` }), "invalid websocket jwt"],
    ["that begins beyond all time", jwt({ ...good, nbf: -1e300 }), "invalid websocket jwt"],
    ["whose claims are no object", jwt([] as object), "invalid websocket jwt"],
  ])("%s", (_, token, expected) => {
    const judged = refuse?.(`Bearer ${token}`) ?? null;
    expect(typeof judged === "string" ? judged : null).toBe(expected);
  });

  test.each([
    ["whom it is for", { sub: "alice" }, "alice"],
    ["nobody where it names none", {}, null],
    ["nobody where its name is empty", { sub: "" }, null],
    ["nobody where that is no text", { sub: { name: "alice" } }, null],
    ["a name of bounded length", { sub: "a".repeat(5000) }, "a".repeat(256)],
  ])("says %s, and until when", (_, claims, subject) => {
    const judged = refuse?.(`Bearer ${jwt({ ...good, exp: NOW + 100, ...claims })}`);
    // The last second of the skew counts.
    expect(judged).toEqual({ subject, scopes: ALL_SCOPES, expiresAtMs: (NOW + 111) * 1000 });
  });

  test.each([
    ["read answer", ["read", "answer"]],
    ["admin read", ["read", "admin"]],
  ])("limits its holder to its scopes: %s", (scope, allowed) => {
    const judged = refuse?.(`Bearer ${jwt({ ...good, scope })}`) as TokenHolder;
    expect([...judged.scopes]).toEqual(allowed);
  });

  test.each(["", "read write", ["read"], 7])("with a scope that cannot be read: %j", (scope) => {
    expect(refuse?.(`Bearer ${jwt({ ...good, scope })}`)).toBe("websocket jwt scope is not known");
  });

  const [header = "", payload = "", signature = ""] = jwt(good).split(".");
  test.each([
    ...["=", "==", "!", "-", "A", "AAAA", "\u00e9", ",", ";x", "%00", ".", ".."].map((junk) => [
      junk,
      `${header}.${payload}.${signature}${junk}`,
    ]),
    ["in front", `!${header}.${payload}.${signature}`],
    ["a dot in front", `.${header}.${payload}.${signature}`],
    ["within the signature", `${header}.${payload}.${signature.slice(0, 9)} ${signature.slice(9)}`],
    // The last base64url character of 32 bytes has two unused bits.
    ["in the last two bits", `${header}.${payload}.${signature.slice(0, -1)}${nextCharacter(signature)}`],
    ["in plain base64", `${header}.${payload}.${Buffer.from(signature, "base64url").toString("base64")}`],
    ["behind the header, signed", sign(`${header}=.${payload}`)],
    ["behind the claims, signed", sign(`${header}.${payload}!`)],
    ["within the claims, signed", sign(`${header}.${payload.slice(0, 4)}\n${payload.slice(4)}`)],
  ])("with junk: %s", (_, token) => {
    expect(typeof refuse?.(`Bearer ${token}`)).toBe("string");
  });
});

function nextCharacter(signature: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(signature.at(-1) ?? "") + 1] ?? "";
}
