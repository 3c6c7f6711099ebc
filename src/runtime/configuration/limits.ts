import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { defaultTransportLimits, type TransportLimits } from "../../transport/transport.ts";
import type { ConfigSource } from "./config-source.ts";

/** The bounds of a server; docs/limits.md says what happens at each. */
export interface Limits extends TransportLimits {
  /** Requests of one connection that may be under way. */
  readonly requestsInFlight: number;
  /** How long an idle thread without subscribers stays loaded. */
  readonly idleThreadMs: number;
  /** The time that running turns have to finish when the server drains. */
  readonly drainMs: number;
  /** Whether clients with a token, and without the scope `admin`, may use their own threads only. */
  readonly ownThreads: boolean;
  /** How long the first notification after a response is delayed, by client name. */
  readonly noticeDelaysMs: ReadonlyMap<string, number | null>;
}

/** The limits until the configuration has been read. */
const defaultLimits: Limits = {
  ...defaultTransportLimits,
  requestsInFlight: 1024,
  idleThreadMs: 30 * 60_000,
  drainMs: 540_000,
  ownThreads: true,
  noticeDelaysMs: new Map(),
};

function toLimits({ limits, clients, access, thread_unload_delay_secs: idleSeconds }: ConfigValues): Limits {
  return {
    ...defaultLimits,
    messageBytes: limits.max_message_bytes,
    outboundBytes: limits.max_outgoing_bytes,
    requestsInFlight: limits.max_pending_requests,
    drainMs: limits.drain_timeout_sec * 1000,
    ownThreads: access.threads === "own",
    idleThreadMs: idleSeconds === null ? defaultLimits.idleThreadMs : idleSeconds * 1000,
    noticeDelaysMs: new Map(Object.entries(clients).map(([name, client]) => [name, client.notice_delay_ms])),
  };
}

export interface LimitSource {
  readonly current: () => Limits;
  /** Reads the limits from the configuration; the first call also logs its faults. */
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
