import { withLedger } from "../harness/manifest-of.ts";
import { negotiate } from "../placement/negotiate.ts";
import { findPayloadFaults } from "../placement/payload-faults.ts";
import { route } from "../placement/route.ts";
import { linkageError } from "../receipts/draft-receipt.ts";
import type { Intent } from "../receipts/ledger.ts";
import { type FailureClass, failureOf } from "../vocabulary/failures.ts";
import type { PayloadEnvelope } from "../wire/payload-envelope.ts";
import { parseDispatch } from "../wire/request.ts";
import { type CallbackResponse, type Warning } from "../wire/response.ts";
import { WIRE_VERSION } from "../wire/wire-error.ts";
import { callClient, maxCallDuration } from "./call-client.ts";
import { epochSeconds, withDeadline } from "./clock.ts";
import { conclude } from "./conclude.ts";
import {
  type Dispatched,
  type DispatchOptions,
  type DispatchPorts,
  dispatchRefusal,
  openRun,
  type Run,
} from "./run.ts";

/** The limit of payloads per event, including those of the client's response. */
export const MOST_PAYLOADS = 1000;

/** Sends an event to a client, and records the outcome as a receipt. */
export async function dispatch(
  envelope: unknown,
  ports: DispatchPorts,
  options: DispatchOptions,
): Promise<Dispatched> {
  const parsed = parseDispatch(envelope, { extensions: options.extensions ?? false });
  if (!parsed.ok) return dispatchRefusal("invalid_request", parsed.error.kind, parsed.error.detail);
  const run = openRun(parsed.value, ports, options);
  const unlinked = linkageError(run.envelope.request, run.context);
  if (unlinked !== null) return dispatchRefusal("invalid_request", unlinked.kind, unlinked.detail);
  if (options.clientId === "") return dispatchRefusal("invalid_request", "empty_field", "client_id");
  try {
    return await begin(run);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return dispatchRefusal("internal_error", "ledger_failed", `the ledger has failed: ${text}`);
  }
}

/** Added to the longest possible call before an intent expires and its owner is considered dead. */
const GRACE_MS = 5000;

/** Checks the ledger for an earlier or concurrent dispatch before the client is called. */
async function begin(run: Run): Promise<Dispatched> {
  const { scope, limits, clock, context, fingerprint } = run;
  if (scope === null) return work(run);
  const lastsMs = maxCallDuration(limits) + GRACE_MS;
  const intent = {
    ...scope,
    receipt_id: context.receipt_id,
    fingerprint,
    expires_at_ms: clock.now() + lastsMs,
  };
  const outcome = await run.ports.ledger.begin(intent, clock.now());
  switch (outcome.kind) {
    case "begun":
      return work(run);
    case "replayed":
      return outcome;
    case "conflict":
      return dispatchRefusal(
        "state_conflict",
        "conflict",
        `the key belongs to ${outcome.receipt_id}, which asks for something else`,
      );
    case "abandoned":
      return conclude(run, outcomeUnknown(outcome.receipt_id), null, 0);
    case "pending":
      return awaitPending(run, intent, lastsMs);
  }
}

async function awaitPending({ ports, limits }: Run, intent: Intent, lastsMs: number): Promise<Dispatched> {
  const { ledger } = ports;
  const ended = await withDeadline((signal) => ledger.settled(intent, signal), {
    clock: limits.clock,
    deadlineMs: lastsMs,
    signal: limits.signal,
  });
  if (ended.kind === "threw") throw ended.error;
  if (ended.kind === "done" && ended.value !== null) {
    const again = await ledger.begin(intent, limits.clock.now());
    return again.kind === "replayed" ? again : { kind: "replayed", receipt: ended.value };
  }
  return dispatchRefusal(
    "state_conflict",
    "in_progress",
    "the same event is being dispatched; ask again for its receipt",
  );
}

/**
 * Routes the request, checks the payloads, calls the client unless negotiation blocks that, and records the receipt.
 */
async function work(run: Run): Promise<Dispatched> {
  const { envelope, payloads, ports, options, limits } = run;
  const routed = route(envelope.request, ports.manifestFor);
  if (!routed.ok)
    return conclude(
      run,
      failedWith(routed.failure_class, routed.error.kind, String(routed.error.detail)),
      null,
      0,
    );
  if (payloads.length > MOST_PAYLOADS) return conclude(run, tooMany(payloads.length), null, 0);
  const agree = async (all: readonly PayloadEnvelope[]) => {
    const faults = await findPayloadFaults(all, {
      nowEpochS: epochSeconds(run.clock),
      ...(ports.sha256 !== undefined && { sha256: ports.sha256 }),
    });
    const needs = {
      event: envelope.request.event,
      capabilities: options.capabilities ?? [],
      payloads: all,
      faults,
    };
    return { payloads: all, faults, negotiation: negotiate(needs, withLedger(routed.manifest)) };
  };
  const before = await agree(payloads);
  if (before.negotiation.blocks_dispatch)
    return conclude(run, { schema_version: WIRE_VERSION, status: "skipped" }, before, 0);
  const { response, attempts } = await callClient(ports.client, envelope, limits);
  const all = [...payloads, ...(response.client_payloads ?? [])];
  if (all.length > MOST_PAYLOADS) return conclude(run, tooMany(all.length), before, attempts);
  const after = all.length === payloads.length ? before : await agree(all);
  return conclude(run, response, after, attempts);
}

function failedWith(failureClass: FailureClass, code: string, message: string): CallbackResponse {
  const warning: Warning = { code, message };
  return { schema_version: WIRE_VERSION, status: "failed", ...failureOf(failureClass), warnings: [warning] };
}

function tooMany(count: number): CallbackResponse {
  return failedWith(
    "invalid_request",
    "too_many_payloads",
    `${count} payloads are more than ${MOST_PAYLOADS}`,
  );
}

function outcomeUnknown(receiptId: string): CallbackResponse {
  return failedWith(
    "internal_error",
    "outcome_unknown",
    `${receiptId} was begun and not completed; it is unknown whether the client was called`,
  );
}
