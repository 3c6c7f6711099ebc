import { describe, expect, test } from "vitest";
import { deliberate, differences, golden, over } from "../golden.fixture.ts";
import { type CapabilityNeed, negotiate } from "../placement/negotiate.ts";
import { DEFAULT_RETRY } from "../vocabulary/failures.ts";
import type { PayloadEnvelope } from "../wire/payload-envelope.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
import { type CallbackRequest, parseRequest } from "../wire/request.ts";
import { type CallbackResponse, parseResponse } from "../wire/response.ts";
import { draftReceipt, type ReceiptContext } from "./draft-receipt.ts";
import type { ReceiptLedger } from "./ledger.ts";
import { createMemoryLedger } from "./memory-ledger.ts";
import { fingerprintOf } from "./receipt-content.ts";

interface Step {
  readonly request?: object;
  readonly response?: object;
  readonly payloads?: readonly object[];
  readonly capabilities?: readonly CapabilityNeed[];
  readonly context: ReceiptContext;
}

/** Emits a receipt as the original does, with a given response. */
async function emit(ledger: ReceiptLedger, step: Step): Promise<object> {
  const request = valueOf<CallbackRequest>(parseRequest(over(golden.base.request, step.request)));
  const response = valueOf<CallbackResponse>(parseResponse(over(golden.base.response, step.response)));
  const payloads = (step.payloads ?? []).map(
    (payload) => over(golden.base.payload, payload) as unknown as PayloadEnvelope,
  );
  // The original's manifest, because only the effect of the negotiation is checked here.
  const manifest = golden.manifests[request.adapter_id];
  const withEvents = {
    ...manifest,
    lifecycle_events: { ...manifest.lifecycle_events, [request.event]: NATIVE },
  };
  const needs = { event: request.event, capabilities: step.capabilities ?? [], payloads };
  const negotiation = negotiate(needs, withEvents);
  const drafted = draftReceipt({ request, payloads, negotiation, response }, step.context);
  if (!drafted.ok) return error("invalid_request", drafted.error.kind);
  const parent = step.context.parent_receipt_id ?? null;
  const outcome = await ledger.record(drafted.receipt, fingerprintOf(request, payloads, parent));
  if (outcome.kind === "conflict") return error("state_conflict", "conflict");
  if (outcome.kind === "receipt_id_taken") return error("internal_error", "storage");
  return { receipt: compact(outcome.receipt) };
}

const NATIVE = { support: "native" };

function valueOf<T>(parsed: { readonly ok: boolean; readonly value?: T }): T {
  if (parsed.value === undefined) throw new Error("the recording is not valid");
  return parsed.value;
}

function error(failureClass: keyof typeof DEFAULT_RETRY, kind: string): object {
  return { failure_class: failureClass, receipt_error: kind, retry_class: DEFAULT_RETRY[failureClass] };
}

/** In the recorded form: without members equal to the base and without user-facing texts. */
function compact(receipt: LifecycleReceipt): object {
  const warnings = receipt.warnings?.map((warning) => ({ ...warning, message: "<free text>" }));
  const members = Object.entries({ ...receipt, warnings });
  return Object.fromEntries(
    members.filter(([name, value]) => value !== undefined && value !== golden.base.receipt[name]),
  );
}

describe("receipts are those of the original", () => {
  const cases: readonly { id: string; steps: readonly Step[]; expected: readonly object[] }[] =
    golden.receipts;
  test("there are 26 of them", () => expect(cases).toHaveLength(26));
  test.each(cases.map((each) => [each.id, each] as const))("%s", async (_, { steps, expected }) => {
    const ledger = createMemoryLedger();
    const actual: object[] = [];
    for (const step of steps) actual.push(await emit(ledger, step));
    expect(actual).toEqual(expected);
  });
});

test("a ledger is that of the original, but for the numbers that it does not burn", async () => {
  const steps: readonly { id: string; input?: Step; expected: { exit: number; receipt?: object } }[] =
    golden.ledger;
  expect(steps).toHaveLength(11);
  const differing = deliberate("ledger");
  expect([...differing]).toEqual(["after-failed-record", "list-order"]);
  expect(differences["ledger"]).toHaveLength(1);
  const ledger = createMemoryLedger();
  const EXITS: Record<string, number> = { conflict: 1, storage: 3 };
  for (const { id, input, expected } of steps) {
    if (input === undefined) continue;
    const actual = (await emit(ledger, input)) as { receipt?: object; receipt_error?: string };
    expect([id, EXITS[actual.receipt_error ?? ""] ?? 0]).toEqual([id, expected.exit]);
    if (differing.has(id)) expect(actual.receipt).toEqual({ ...expected.receipt, sequence: 3 });
    else expect(actual.receipt).toEqual(expected.receipt);
  }
  const listed = await ledger.list();
  expect(listed.map(({ receipt_id }) => receipt_id)).toEqual(["r-1", "r-4", "r-5", "r-6"]);
  expect(listed.map(({ sequence }) => sequence)).toEqual([1, 2, 3, null]);
  const scope = { client_id: "loomtest", adapter_id: "codex", idempotency_key: "k1" };
  expect(await ledger.find(scope)).toMatchObject({ receipt_id: "r-1" });
  expect(await ledger.find({ ...scope, idempotency_key: "k2" })).toBeNull();
});
