import type { ConfigValues } from "../config/schema/config-schema.ts";
import { defaultTransportLimits, type TransportLimits } from "../transport/transport.ts";

/** The bounds of a server; docs/limits.md says what happens at each. */
export interface Limits extends TransportLimits {
  /** Requests of one connection that may be under way. */
  readonly requestsInFlight: number;
}

/** What holds until the configuration has been read. */
export const defaultLimits: Limits = { ...defaultTransportLimits, requestsInFlight: 1024 };

export function toLimits({ limits }: ConfigValues): Limits {
  return {
    messageBytes: limits.max_message_bytes,
    outboundBytes: limits.max_outgoing_bytes,
    requestsInFlight: limits.max_pending_requests,
  };
}
