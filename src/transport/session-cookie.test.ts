import { expect, test } from "vitest";
import { formatSessionCookie, sessionOf } from "./session-cookie.ts";

const secret = "s".repeat(43);

test.each([undefined, "heddle.example", "127.0.0.1:4510", "[::1]:4510"])(
  "a session at %s is read back",
  (host) => {
    const cookie = formatSessionCookie({ host, isSecure: false, secret, maxAgeSeconds: 60 });
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/; Max-Age=60$/u);
    const [pair = ""] = cookie.split(";");
    expect(sessionOf({ cookie: `other=1; ${pair}`, ...(host !== undefined && { host }) })).toBe(secret);
  },
);

test("by TLS the cookie is sent by TLS only", () => {
  expect(formatSessionCookie({ host: "h", isSecure: true, secret, maxAgeSeconds: 1 })).toMatch(/; Secure$/u);
});

test.each([
  ["", "h"],
  [`heddle-session=${secret}; heddle-session=${secret}`, "h"],
  [`heddle-session=${secret}x`, "h"],
  [`heddle-session-1=${secret}`, "h:2"],
  [`heddle-session=${secret}; ${"x".repeat(20_000)}`, "h"],
])("%.60s at %s has no session", (cookie, host) => {
  expect(sessionOf({ cookie, host })).toBeNull();
});
