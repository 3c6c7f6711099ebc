import { expect, test } from "vitest";
import { deliberate, differences, golden, oursOf, over } from "../golden.fixture.ts";
import { findManifest } from "../harness/manifest-of.ts";
import { DEFAULT_RETRY } from "../vocabulary/failures.ts";
import type { AdapterManifest } from "../wire/manifest.ts";
import type { PayloadEnvelope } from "../wire/payload-envelope.ts";
import type { CallbackRequest } from "../wire/request.ts";
import { type CapabilityNeed, type Negotiation, negotiate } from "./negotiate.ts";
import { findPayloadFaults } from "./payload-faults.ts";
import { type RouteError, route } from "./route.ts";

interface Case {
  readonly id: string;
  readonly input: {
    readonly request?: object;
    readonly capabilities?: readonly CapabilityNeed[];
    readonly payloads?: readonly object[];
  };
  readonly expected: Readonly<Record<string, unknown>>;
}

const cases: readonly Case[] = golden.negotiation;
const differing = deliberate("negotiation");

/** Our manifest, or else the original's. */
function manifestFor(name: string): AdapterManifest | undefined {
  return findManifest(name) ?? golden.manifests[name];
}

const ROUTE_ERRORS: Partial<Record<RouteError["kind"], string>> = {
  schema_version_mismatch: "SchemaVersionMismatch",
  empty_field: "EmptySentinel",
  invalid_frame_context: "InvalidFrameContext",
  invalid_request: "InvalidEventEnvelope",
  adapter_not_found: "AdapterIdNotFound",
  adapter_version_mismatch: "AdapterVersionMismatch",
  integration_mode_unsupported: "IntegrationModeUnsupported",
};

/** The original has separate names for two rules that we check in one place. */
function routeErrorName(error: RouteError): string | undefined {
  const text = String(error.detail);
  if (error.kind === "empty_field" && text.startsWith("payload_ref.")) return "InvalidPayloadRef";
  if (error.kind === "invalid_request" && text.includes("frame_context")) return "InvalidFrameContext";
  return ROUTE_ERRORS[error.kind];
}

async function negotiated({ input }: Case): Promise<object> {
  const request = over(golden.base.request, input.request) as unknown as CallbackRequest;
  const routed = route(request, manifestFor);
  if (!routed.ok) {
    const { failure_class } = routed;
    return {
      failure_class,
      retry_class: DEFAULT_RETRY[failure_class],
      route_error: routeErrorName(routed.error),
    };
  }
  const payloads = (input.payloads ?? []).map(
    (payload) => over(golden.base.payload, payload) as unknown as PayloadEnvelope,
  );
  const faults = await findPayloadFaults(payloads, { nowEpochS: 1000 });
  const { event } = request;
  return compact(
    negotiate({ event, capabilities: input.capabilities ?? [], payloads, faults }, routed.manifest),
  );
}

/** In the recorded form: without empty members and user-facing texts. */
function compact(negotiation: Negotiation): object {
  const warnings = negotiation.warnings.map(({ code, capability }) => ({
    code,
    capability: capability ?? null,
  }));
  return Object.fromEntries(
    Object.entries({ ...negotiation, warnings }).filter(
      ([, value]) => value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

test("there are 118 of them, and the differences are counted", () => {
  expect(cases).toHaveLength(118);
  expect((differences["negotiation"] ?? []).map(({ ids }) => ids.length)).toEqual([12, 1, 1, 2, 1, 2, 2, 2]);
  expect([...differing].filter((id) => !cases.some((each) => each.id === id))).toEqual([]);
});

test.each(cases.map((each) => [each.id, each] as const))("%s", async (id, each) => {
  const actual = await negotiated(each);
  if (!differing.has(id)) return expect(actual).toEqual(each.expected);
  expect(actual).not.toEqual(each.expected);
  expect(actual).toMatchObject(oursOf("negotiation", id));
});
