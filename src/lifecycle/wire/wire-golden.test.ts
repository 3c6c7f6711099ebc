import { expect, test } from "vitest";
import { golden, over } from "../golden.fixture.ts";
import { parseManifest } from "./manifest.ts";
import { parsePayloadEnvelope } from "./payload-envelope.ts";
import { parseReceipt } from "./receipt.ts";
import { parseDispatch, parseRequest } from "./request.ts";
import { parseResponse } from "./response.ts";
import type { ParsedMessage } from "./wire-error.ts";

interface Case {
  readonly id: string;
  readonly type: keyof typeof READERS;
  readonly input: object;
  readonly expected: {
    readonly ok: boolean;
    readonly stage?: string;
    readonly kind?: string;
    readonly detail?: unknown;
  };
}

const READERS = {
  callback_request: [parseRequest, golden.base.request],
  callback_response: [parseResponse, golden.base.response],
  payload_envelope: [parsePayloadEnvelope, golden.base.payload],
  lifecycle_receipt: [parseReceipt, golden.base.receipt_full],
  dispatch_envelope: [parseDispatch, {}],
  adapter_manifest: [parseManifest, golden.manifests.codex],
} as const satisfies Record<string, readonly [(value: unknown) => ParsedMessage<unknown>, object]>;

const cases: readonly Case[] = golden.validation;

test("there are 88 of them", () => expect(cases).toHaveLength(88));

test.each(cases.map((each) => [each.id, each] as const))("%s", (_, { type, input, expected }) => {
  const [parse, base] = READERS[type];
  const parsed = parse(over(base, input));
  expect(parsed.ok).toBe(expected.ok);
  if (parsed.ok) return;
  expect(parsed.error.kind === "malformed" ? "deserialize" : "validate").toBe(expected.stage);
  if (expected.kind !== undefined) expect(parsed.error.kind).toBe(expected.kind);
  if (expected.detail !== undefined) expect(parsed.error.detail).toEqual(expected.detail);
});

test("manifests and receipts of the original are taken as they are", () => {
  for (const manifest of Object.values(golden.manifests)) expect(parseManifest(manifest).ok).toBe(true);
  const parsed = parseReceipt(golden.base.receipt_full);
  expect(parsed.ok && JSON.stringify(parsed.value)).toBe(JSON.stringify(golden.base.receipt_full));
});
