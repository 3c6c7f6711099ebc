import { eventsRead, type HarnessAdapter, type HookRow, writersOf } from "../adapters/adapter.ts";
import { ADAPTERS, findAdapter, hookFor } from "../adapters/registry.ts";
import { type SupportState, supportRank } from "../vocabulary/closed-sets.ts";
import { EVENT_NAMES, type EventName, grantsOnAllow } from "../vocabulary/events.ts";
import type { ResultPart } from "../vocabulary/result.ts";
import type { AdapterManifest, EventClaim, PlacementClaim } from "../wire/manifest.ts";
import { WIRE_VERSION } from "../wire/wire-error.ts";

/** Events that no harness has, and that the dispatcher announces. */
const ANNOUNCED_EVENTS: readonly EventName[] = ["receipt.emitted", "receipt.gap_detected"];

/** Derives the capabilities of an adapter from the table that it reads and renders by. */
export function manifestOf(adapter: HarnessAdapter): AdapterManifest {
  const claims = EVENT_NAMES.map((event) => [event, eventClaim(adapter, event)] as const);
  const lifecycleEvents: Partial<Record<EventName, EventClaim>> = Object.fromEntries(claims);
  const at = (
    event: EventName,
    placement: "developer_equivalent_frame" | "pre_prompt_frame",
  ): PlacementClaim => lifecycleEvents[event]?.placement?.[placement] ?? { support: "unavailable" };
  return {
    contract_version: WIRE_VERSION,
    adapter_id: adapter.id,
    adapter_version: adapter.version,
    display_name: adapter.displayName,
    evidence: adapter.evidence,
    role: adapter.role,
    integration_modes: adapter.modes,
    lifecycle_events: lifecycleEvents,
    placement: {
      pre_session: at("session.started", "developer_equivalent_frame"),
      pre_frame_leading: at("frame.opening", "developer_equivalent_frame"),
      pre_frame_trailing: at("frame.opening", "pre_prompt_frame"),
      tool_result: at("tool.completed", "developer_equivalent_frame"),
      manual_operator: { support: "manual" },
    },
    context_budget_bytes: adapter.contextBudget,
    context_pressure: { support: lifecycleEvents["context.pressure_observed"]?.support ?? "unavailable" },
    receipts: { native: false, lifeloop_synthesized: true, receipt_ledger: "unavailable" },
    session_identity: {
      harness_session_id: "native",
      harness_run_id: "synthesized",
      harness_task_id: adapter.identity.frame.length > 0 ? "partial" : "unavailable",
    },
    ...(adapter.renewal !== undefined && { renewal: adapter.renewal }),
    failure_modes: ["transport_error", "payload_too_large"],
  };
}

export function manifests(): AdapterManifest[] {
  return Object.values(ADAPTERS).map(manifestOf);
}

/** With a ledger, receipts are available whatever the harness supports. */
export function withLedger(manifest: AdapterManifest): AdapterManifest {
  return { ...manifest, receipts: { ...manifest.receipts, receipt_ledger: "synthesized" } };
}

export function findManifest(name: string): AdapterManifest | undefined {
  const adapter = findAdapter(name);
  return adapter === undefined ? undefined : manifestOf(adapter);
}

function eventClaim(adapter: HarnessAdapter, event: EventName): EventClaim {
  const row = hookFor(adapter, event);
  if (row === undefined)
    return ANNOUNCED_EVENTS.includes(event)
      ? { support: "synthesized", modes: adapter.modes }
      : { support: "unavailable" };
  return {
    support: rowSupport(adapter, row, event),
    modes: ["native_hook"],
    hook: row.hook,
    placement: row.context?.placements ?? {},
    results: resultClaims(row, event),
  };
}

/** An event is native if inputs are read as it; one that a hook only answers is synthesized. */
function rowSupport(adapter: HarnessAdapter, row: HookRow, event: EventName): SupportState {
  const readers = adapter.hooks.filter((candidate) => eventsRead(candidate).includes(event));
  if (readers.length === 0) return "synthesized";
  // The event is read from one hook and answered through another, so the first hook does not receive the answer.
  if (!readers.includes(row)) return "partial";
  return row.support ?? "native";
}

function resultClaims(row: HookRow, event: EventName): Partial<Record<ResultPart, SupportState>> {
  const written = Object.entries(writersOf(row, event)).map(
    ([part, { support }]) => [part, support] as const,
  );
  const placed = Object.values(row.context?.placements ?? {})
    .map(({ support }) => support)
    .filter((support) => support !== "manual" && support !== "unavailable")
    .sort((one, other) => supportRank(other) - supportRank(one));
  return {
    // To allow is the default, so it needs no output.
    ...(!grantsOnAllow(event) && { allow: "native" as const }),
    ...Object.fromEntries(written),
    ...(placed[0] !== undefined && { context: placed[0] }),
  };
}
