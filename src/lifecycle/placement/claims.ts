import type { Placement, SupportState, TimedPlacement } from "../vocabulary/closed-sets.ts";
import type { EventName } from "../vocabulary/events.ts";
import type { ResultPart } from "../vocabulary/result.ts";
import type { AdapterManifest, PlacementClaim } from "../wire/manifest.ts";
import type { PlacementClaims } from "./place.ts";

/** The equivalents in a manifest that has no placements per event. */
const TIMED: Readonly<Record<Exclude<Placement, "receipt_only">, TimedPlacement>> = {
  developer_equivalent_frame: "pre_frame_leading",
  pre_prompt_frame: "pre_frame_trailing",
  side_channel_context: "manual_operator",
};

export function placementClaims(manifest: AdapterManifest, event: EventName): PlacementClaims {
  const own = manifest.lifecycle_events[event]?.placement;
  if (own !== undefined) return own;
  const entries = Object.entries(TIMED).map(([placement, timed]): [string, PlacementClaim] => [
    placement,
    manifest.placement[timed] ?? { support: "unavailable" },
  ]);
  return Object.fromEntries(entries);
}

export function eventSupport(manifest: AdapterManifest, event: EventName): SupportState {
  return manifest.lifecycle_events[event]?.support ?? "unavailable";
}

/** Capabilities that do not depend on an event. */
const ADAPTER_CAPABILITIES = {
  context_pressure: ({ context_pressure }) => context_pressure.support,
  "receipts.native": ({ receipts }) => (receipts.native ? "native" : "unavailable"),
  "receipts.lifeloop_synthesized": ({ receipts }) =>
    receipts.lifeloop_synthesized ? "synthesized" : "unavailable",
  "receipts.receipt_ledger": ({ receipts }) => receipts.receipt_ledger,
  "session_identity.harness_session_id": ({ session_identity }) => session_identity?.harness_session_id,
  "session_identity.harness_run_id": ({ session_identity }) => session_identity?.harness_run_id,
  "session_identity.harness_task_id": ({ session_identity }) => session_identity?.harness_task_id,
  "renewal.reset.native": ({ renewal }) => renewal?.reset.native,
  "renewal.reset.wrapper_mediated": ({ renewal }) => renewal?.reset.wrapper_mediated,
  "renewal.reset.manual": ({ renewal }) => renewal?.reset.manual,
  "renewal.continuation.observation": ({ renewal }) => renewal?.continuation.observation,
  "renewal.continuation.payload_delivery": ({ renewal }) => renewal?.continuation.payload_delivery,
} as const satisfies Record<string, (manifest: AdapterManifest) => SupportState | undefined>;

export type CapabilityKind = keyof typeof ADAPTER_CAPABILITIES | "lifecycle_event" | "result";

export const CAPABILITY_KINDS: readonly CapabilityKind[] = [
  "lifecycle_event",
  "result",
  ...(Object.keys(ADAPTER_CAPABILITIES) as (keyof typeof ADAPTER_CAPABILITIES)[]),
];

/** A capability that an adapter may have. */
export type Capability =
  | { readonly kind: "lifecycle_event"; readonly event: EventName }
  /** Accepts a part of a result at an event. */
  | { readonly kind: "result"; readonly event: EventName; readonly part: ResultPart }
  | { readonly kind: keyof typeof ADAPTER_CAPABILITIES };

export function capabilityName(capability: Capability): string {
  if (capability.kind === "lifecycle_event") return `lifecycle_event:${capability.event}`;
  return capability.kind === "result" ? `result:${capability.event}:${capability.part}` : capability.kind;
}

export function capabilitySupport(manifest: AdapterManifest, capability: Capability): SupportState {
  if (capability.kind === "lifecycle_event") return eventSupport(manifest, capability.event);
  if (capability.kind === "result")
    return manifest.lifecycle_events[capability.event]?.results?.[capability.part] ?? "unavailable";
  return ADAPTER_CAPABILITIES[capability.kind](manifest) ?? "unavailable";
}
