import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { defaultTransportLimits, type TransportLimits } from "../../transport/transport.ts";
import type { ConfigSource } from "./config-source.ts";

/** The bounds of a server; docs/limits.md says what happens at each. */
export interface Limits extends TransportLimits {
  /** Requests of one connection that may be under way. */
  readonly requestsInFlight: number;
  /** How long a thread stays loaded when nobody hears of it and nothing happens in it. */
  readonly idleThreadMs: number;
  /** How long running turns may take to finish when the server is to end. */
  readonly drainMs: number;
  /** How long the first notice after a response waits, by names of clients; others are not configured. */
  readonly noticeDelaysMs: ReadonlyMap<string, number | null>;
}

/** What holds until the configuration has been read. */
const defaultLimits: Limits = {
  ...defaultTransportLimits,
  requestsInFlight: 1024,
  idleThreadMs: 30 * 60_000,
  drainMs: 540_000,
  noticeDelaysMs: new Map(),
};

function toLimits({ limits, clients, thread_unload_delay_secs: idleSeconds }: ConfigValues): Limits {
  return {
    ...defaultLimits,
    messageBytes: limits.max_message_bytes,
    outboundBytes: limits.max_outgoing_bytes,
    requestsInFlight: limits.max_pending_requests,
    drainMs: limits.drain_timeout_sec * 1000,
    idleThreadMs: idleSeconds === null ? defaultLimits.idleThreadMs : idleSeconds * 1000,
    noticeDelaysMs: new Map(Object.entries(clients).map(([name, client]) => [name, client.notice_delay_ms])),
  };
}

export interface LimitSource {
  readonly current: () => Limits;
  /** Takes over what the configuration says now; the first time, its faults are told as well. */
  readonly read: () => Promise<Limits>;
}

export function createLimits(config: ConfigSource): LimitSource {
  let limits = defaultLimits;
  return {
    current: () => limits,
    async read() {
      await config.startup();
      const effective = await (await config.get()).effective();
      if (effective.ok) limits = toLimits(effective.value.values);
      return limits;
    },
  };
}
