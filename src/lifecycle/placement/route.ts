import type { FailureClass } from "../vocabulary/failures.ts";
import type { AdapterManifest } from "../wire/manifest.ts";
import { type CallbackRequest, requestRules } from "../wire/request.ts";
import type { WireError } from "../wire/wire-error.ts";

export interface RouteError {
  readonly kind:
    | WireError["kind"]
    | "adapter_not_found"
    | "adapter_version_mismatch"
    | "integration_mode_unsupported";
  readonly detail: unknown;
}

export type Routed =
  | { readonly ok: true; readonly manifest: AdapterManifest }
  | { readonly ok: false; readonly error: RouteError; readonly failure_class: FailureClass };

/**
 * Finds the manifest for a request and validates the request against it. Negotiation checks whether the adapter has the
 * event.
 */
export function route(
  request: CallbackRequest,
  manifestFor: (adapterId: string) => AdapterManifest | undefined,
): Routed {
  const violation = requestRules(request);
  if (violation !== null) return { ok: false, error: violation, failure_class: "invalid_request" };
  const manifest = manifestFor(request.adapter_id);
  if (manifest === undefined)
    return refused("adapter_unavailable", "adapter_not_found", `there is no adapter ${request.adapter_id}`);
  if (manifest.adapter_version !== request.adapter_version)
    return refused(
      "adapter_unavailable",
      "adapter_version_mismatch",
      `${manifest.adapter_id} is ${manifest.adapter_version}, not ${request.adapter_version}`,
    );
  if (!manifest.integration_modes.includes(request.integration_mode))
    return refused(
      "capability_unsupported",
      "integration_mode_unsupported",
      `${manifest.adapter_id} does not work as ${request.integration_mode}`,
    );
  return { ok: true, manifest };
}

function refused(failureClass: FailureClass, kind: RouteError["kind"], detail: string): Routed {
  return { ok: false, error: { kind, detail }, failure_class: failureClass };
}
