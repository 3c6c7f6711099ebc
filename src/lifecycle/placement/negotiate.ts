import {
  type Outcome,
  type Requirement,
  type SupportState,
  supports,
  worstOutcome,
} from "../vocabulary/closed-sets.ts";
import type { EventName } from "../vocabulary/events.ts";
import { DEFAULT_RETRY, type FailureClass, type RetryClass } from "../vocabulary/failures.ts";
import type { AdapterManifest } from "../wire/manifest.ts";
import type { PayloadEnvelope } from "../wire/payload-envelope.ts";
import type { CapabilityDegradation } from "../wire/receipt.ts";
import type { Warning } from "../wire/response.ts";
import {
  type Capability,
  capabilityName,
  capabilitySupport,
  eventSupport,
  placementClaims,
} from "./claims.ts";
import type { PayloadFaults } from "./payload-faults.ts";
import { openSpace, type PlacementDecision, placePayloads } from "./place.ts";

export type CapabilityNeed = Capability & {
  readonly level: Requirement;
  readonly desired: SupportState;
};

/** The requirements of a dispatch. */
export interface Needs {
  readonly event: EventName;
  readonly capabilities?: readonly CapabilityNeed[];
  readonly payloads?: readonly PayloadEnvelope[];
  /** Payloads with known faults; see `findPayloadFaults`. */
  readonly faults?: PayloadFaults;
}

/** The result of a negotiation, with the reasons. */
export interface Negotiation {
  readonly outcome: Outcome;
  /** Whether the client must not be called. */
  readonly blocks_dispatch: boolean;
  readonly failure_class: FailureClass | null;
  readonly retry_class: RetryClass | null;
  readonly capability_degradations: readonly CapabilityDegradation[];
  readonly placement_decisions: readonly PlacementDecision[];
  readonly warnings: readonly Warning[];
}

interface Finding {
  readonly outcome: Outcome;
  readonly warning?: Warning;
  readonly degradation?: CapabilityDegradation;
  readonly failureClass?: FailureClass;
}

const BLOCKING: ReadonlySet<Outcome> = new Set(["unsupported", "requires_operator"]);

export function negotiate(needs: Needs, manifest: AdapterManifest): Negotiation {
  const { event, capabilities = [], payloads = [], faults } = needs;
  const findings = [
    eventFinding(event, manifest),
    ...capabilities.map((need) => capabilityFinding(need, manifest)),
  ];
  if (findings.some(({ outcome }) => BLOCKING.has(outcome))) return concluded(findings, []);
  const budget = manifest.context_budget_bytes ?? null;
  const space = openSpace(placementClaims(manifest, event), budget, withoutFaults(payloads, faults));
  const decisions = placePayloads(payloads, space, faults);
  return concluded([...findings, ...decisions.map(placementFinding)], decisions);
}

/** Payloads that will not be placed must not lengthen the fences. */
function withoutFaults(payloads: readonly PayloadEnvelope[], faults: PayloadFaults = new Map()) {
  return payloads.filter((payload) => !faults.has(payload));
}

function concluded(findings: readonly Finding[], decisions: readonly PlacementDecision[]): Negotiation {
  const outcome = worstOutcome(findings.map((finding) => finding.outcome));
  const failureClass = failureClassOf(outcome, findings);
  return {
    outcome,
    blocks_dispatch: BLOCKING.has(outcome),
    failure_class: failureClass,
    retry_class: failureClass === null ? null : DEFAULT_RETRY[failureClass],
    capability_degradations: findings.flatMap(({ degradation }) => degradation ?? []),
    placement_decisions: decisions,
    warnings: findings.flatMap(({ warning }) => warning ?? []),
  };
}

function failureClassOf(outcome: Outcome, findings: readonly Finding[]): FailureClass | null {
  if (outcome === "requires_operator") return "operator_required";
  if (outcome !== "unsupported") return null;
  const first = findings.find((finding) => finding.outcome === outcome);
  return first?.failureClass ?? "capability_unsupported";
}

function eventFinding(event: EventName, manifest: AdapterManifest): Finding {
  if (eventSupport(manifest, event) !== "unavailable") return { outcome: "satisfied" };
  return {
    outcome: "unsupported",
    failureClass: "capability_unsupported",
    warning: {
      code: "event_unavailable",
      message: `${manifest.adapter_id} has no ${event}`,
      capability: `lifecycle_event:${event}`,
    },
  };
}

function capabilityFinding(need: CapabilityNeed, manifest: AdapterManifest): Finding {
  const have = capabilitySupport(manifest, need);
  if (need.level === "optional" || supports(have, need.desired)) return { outcome: "satisfied" };
  const capability = capabilityName(need);
  const message = `${manifest.adapter_id} has ${capability} as ${have}; wanted is ${need.desired}`;
  if (need.level === "preferred")
    return {
      outcome: "degraded",
      degradation: { capability, previous_support: need.desired, current_support: have },
      warning: { code: "capability_degraded", message, capability },
    };
  return have === "manual"
    ? { outcome: "requires_operator", warning: { code: "operator_required", message, capability } }
    : {
        outcome: "unsupported",
        failureClass: "capability_unsupported",
        warning: { code: "capability_unsupported", message, capability },
      };
}

function placementFinding(decision: PlacementDecision): Finding {
  const why = decision.rejected.map(({ placement, reason }) => `${placement} (${reason})`).join(", ");
  const message = (what: string): string =>
    `payload ${decision.payload_id} ${what}${why === "" ? "" : `: not in ${why}`}`;
  if (decision.decision === "chosen") {
    const isDemoted = decision.placement === "receipt_only" && decision.rejected.length > 0;
    return isDemoted
      ? {
          outcome: "degraded",
          warning: { code: "placement_recorded_only", message: message("is recorded and reaches no model") },
        }
      : { outcome: "satisfied" };
  }
  if (decision.decision === "skipped")
    return { outcome: "degraded", warning: { code: "placement_skipped", message: message("is skipped") } };
  return decision.failure_class === "operator_required"
    ? {
        outcome: "requires_operator",
        warning: { code: "placement_requires_operator", message: message("needs an operator") },
      }
    : {
        outcome: "unsupported",
        failureClass: decision.failure_class,
        warning: { code: "placement_unavailable", message: message("has no place") },
      };
}
