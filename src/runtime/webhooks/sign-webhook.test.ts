import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { secretFault, webhookHeaders } from "./sign-webhook.ts";

const secretOf = (bytes: number, fill: number) => `whsec_${Buffer.alloc(bytes, fill).toString("base64")}`;
const [SECRET, NEXT, OTHER] = [secretOf(24, 1), secretOf(64, 2), secretOf(32, 3)];
const REFUSED = "No matching signature found";
const BODY = JSON.stringify({ type: "turn.ended", data: { text: "Grüße 🌍 日本語" } });

describe("a signature", () => {
  const now = new Date();
  const atSeconds = Math.floor(now.getTime() / 1000);
  const content = { id: "evt_1", atSeconds, body: BODY };

  test("is accepted by the reference library, and refused with another secret, body or id", () => {
    const headers = webhookHeaders([SECRET], content);
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(() => new Webhook(OTHER).verify(BODY, headers)).toThrow(REFUSED);
    expect(() => new Webhook(SECRET).verify(`${BODY} `, headers)).toThrow(REFUSED);
    expect(() => new Webhook(SECRET).verify(BODY, { ...headers, "webhook-id": "evt_2" })).toThrow(REFUSED);
  });

  test("is that of the reference library", () => {
    for (const secret of [SECRET, NEXT])
      expect(webhookHeaders([secret], content)["webhook-signature"]).toBe(
        new Webhook(secret).sign("evt_1", now, BODY),
      );
  });

  test("is accepted with either of two secrets", () => {
    const headers = webhookHeaders([SECRET, NEXT], content);
    for (const secret of [SECRET, NEXT])
      expect(() => new Webhook(secret).verify(BODY, headers)).not.toThrow();
    expect(() => new Webhook(OTHER).verify(BODY, headers)).toThrow(REFUSED);
  });

  test("is too old after five minutes", () => {
    const headers = webhookHeaders([SECRET], { ...content, atSeconds: atSeconds - 310 });
    expect(() => new Webhook(SECRET).verify(BODY, headers)).toThrow(/too old/);
  });
});

test.each([
  [SECRET, null],
  [NEXT, null],
  ["secret", "must begin with `whsec_`"],
  ["whsec_", "must have base64 after `whsec_`"],
  ["whsec_not base64", "must have base64 after `whsec_`"],
  [secretOf(23, 1), "must have 24 to 64 bytes after `whsec_`, and has 23"],
  [secretOf(65, 1), "must have 24 to 64 bytes after `whsec_`, and has 65"],
])("a secret is checked: %s", (secret, fault) => expect(secretFault(secret)).toBe(fault));
