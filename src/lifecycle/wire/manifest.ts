import {
  ADAPTER_ROLES,
  type AdapterRole,
  INTEGRATION_MODES,
  type IntegrationMode,
  PLACEMENTS,
  type Placement,
  SUPPORT_STATES,
  type SupportState,
  TIMED_PLACEMENTS,
  type TimedPlacement,
} from "../vocabulary/closed-sets.ts";
import { EVENT_NAMES, type EventName } from "../vocabulary/events.ts";
import { FAILURE_CLASSES, type FailureClass } from "../vocabulary/failures.ts";
import { RESULT_PARTS, type ResultPart } from "../vocabulary/result.ts";
import * as shape from "./shape.ts";
import {
  checked,
  firstEmpty,
  firstViolation,
  type ParsedMessage,
  violation,
  type WireError,
  wrongVersion,
} from "./wire-error.ts";

export interface PlacementClaim {
  readonly support: SupportState;
  /** The byte limit of one payload. */
  readonly max_bytes?: number;
}

export interface EventClaim {
  readonly support: SupportState;
  readonly modes?: readonly IntegrationMode[];
  /** The harness's name of the hook. */
  readonly hook?: string;
  /** The placements of payloads at this event. The original has them only for all events together. */
  readonly placement?: Partial<Readonly<Record<Placement, PlacementClaim>>>;
  /** The parts of a result that the harness accepts. */
  readonly results?: Partial<Readonly<Record<ResultPart, SupportState>>>;
}

const EVIDENCE_BASES = ["observed", "documented"] as const;

/** The capabilities that an adapter claims. Missing ones are unavailable. */
export interface AdapterManifest {
  readonly contract_version: string;
  readonly adapter_id: string;
  readonly adapter_version: string;
  readonly display_name: string;
  /** The evidence of the claims; the original has no such member. */
  readonly evidence?: {
    readonly program: string;
    readonly version?: string;
    readonly basis: (typeof EVIDENCE_BASES)[number];
  };
  readonly role: AdapterRole;
  readonly integration_modes: readonly IntegrationMode[];
  readonly lifecycle_events: Partial<Readonly<Record<EventName, EventClaim>>>;
  readonly placement: Partial<Readonly<Record<TimedPlacement, PlacementClaim>>>;
  /** The byte limit of all payloads of one event together, including their fences. */
  readonly context_budget_bytes?: number;
  readonly context_pressure: { readonly support: SupportState; readonly evidence?: string };
  readonly receipts: {
    readonly native: boolean;
    readonly lifeloop_synthesized: boolean;
    readonly receipt_ledger: SupportState;
  };
  readonly session_identity?: Readonly<
    Record<"harness_session_id" | "harness_run_id" | "harness_task_id", SupportState>
  >;
  readonly renewal?: {
    readonly reset: Readonly<Record<"native" | "wrapper_mediated" | "manual", SupportState>>;
    readonly continuation: Readonly<Record<"observation" | "payload_delivery", SupportState>>;
    readonly profiles?: readonly string[];
    readonly evidence?: string;
  };
  readonly failure_modes?: readonly FailureClass[];
}

const SUPPORT = shape.oneOf(SUPPORT_STATES);
const PLACEMENT_CLAIM = shape.members({
  support: shape.required(SUPPORT),
  max_bytes: shape.optional(shape.COUNT),
});

const MANIFEST = shape.members({
  contract_version: shape.required(shape.TEXT),
  adapter_id: shape.required(shape.TEXT),
  adapter_version: shape.required(shape.TEXT),
  display_name: shape.required(shape.TEXT),
  evidence: shape.optional(
    shape.members({
      program: shape.required(shape.TEXT),
      version: shape.optional(shape.TEXT),
      basis: shape.required(shape.oneOf(EVIDENCE_BASES)),
    }),
  ),
  role: shape.required(shape.oneOf(ADAPTER_ROLES)),
  integration_modes: shape.required(shape.listOf(shape.oneOf(INTEGRATION_MODES))),
  lifecycle_events: shape.required(
    shape.mapOf(
      EVENT_NAMES,
      shape.members({
        support: shape.required(SUPPORT),
        modes: shape.defaulted(shape.listOf(shape.oneOf(INTEGRATION_MODES))),
        hook: shape.optional(shape.TEXT),
        placement: shape.optional(shape.mapOf(PLACEMENTS, PLACEMENT_CLAIM)),
        results: shape.optional(shape.mapOf(RESULT_PARTS, SUPPORT)),
      }),
    ),
  ),
  placement: shape.required(shape.mapOf(TIMED_PLACEMENTS, PLACEMENT_CLAIM)),
  context_budget_bytes: shape.optional(shape.COUNT),
  context_pressure: shape.required(
    shape.members({ support: shape.required(SUPPORT), evidence: shape.optional(shape.TEXT) }),
  ),
  receipts: shape.required(
    shape.members({
      native: shape.required(shape.FLAG),
      lifeloop_synthesized: shape.required(shape.FLAG),
      receipt_ledger: shape.required(SUPPORT),
    }),
  ),
  session_identity: shape.optional(
    shape.members({
      harness_session_id: shape.required(SUPPORT),
      harness_run_id: shape.required(SUPPORT),
      harness_task_id: shape.required(SUPPORT),
    }),
  ),
  renewal: shape.optional(
    shape.members({
      reset: shape.required(
        shape.members({
          native: shape.required(SUPPORT),
          wrapper_mediated: shape.required(SUPPORT),
          manual: shape.required(SUPPORT),
        }),
      ),
      continuation: shape.required(
        shape.members({
          observation: shape.required(SUPPORT),
          payload_delivery: shape.required(SUPPORT),
        }),
      ),
      profiles: shape.defaulted(shape.listOf(shape.TEXT)),
      evidence: shape.optional(shape.TEXT),
    }),
  ),
  failure_modes: shape.defaulted(shape.listOf(shape.oneOf(FAILURE_CLASSES))),
});

export function parseManifest(value: unknown): ParsedMessage<AdapterManifest> {
  return checked(shape.readShape<AdapterManifest>(MANIFEST, value, "manifest"), manifestRules);
}

function manifestRules(manifest: AdapterManifest): WireError | null {
  return firstViolation([
    () => wrongVersion(manifest.contract_version),
    () => firstEmpty("manifest", manifest, ["adapter_id", "adapter_version", "display_name"]),
    () =>
      manifest.integration_modes.length > 0
        ? null
        : violation("invalid_manifest", "integration_modes is empty; name at least one"),
    () => firstEmpty("manifest.context_pressure", manifest.context_pressure, ["evidence"]),
    () =>
      manifest.renewal === undefined ? null : firstEmpty("manifest.renewal", manifest.renewal, ["evidence"]),
    () =>
      manifest.renewal?.profiles?.includes("") === true
        ? ({ kind: "empty_field", detail: "manifest.renewal.profiles[]" } as const)
        : null,
  ]);
}
