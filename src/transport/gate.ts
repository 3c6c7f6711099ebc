/**
 * Access control of a listener by request headers: web pages and host names that are not allowed are rejected for all
 * paths, and an upgrade needs the token or a ticket if authentication is configured.
 */
import type { IncomingMessage } from "node:http";
import { isLoopback } from "./listen-address.ts";
import type { HttpRefusal } from "./refusal.ts";
import type { TokenHolder } from "./signed-bearer.ts";
import { type Tickets, ticketsOf } from "./tickets.ts";
import type { JudgeUpgrade } from "./websocket-auth.ts";

export interface GateOptions {
  /** Null for a socket that only its owner can open. */
  readonly names: AllowedNames | null;
  readonly judgeUpgrade: JudgeUpgrade | null;
  /** Null without authentication. */
  readonly tickets: Tickets | null;
  readonly isOnLoopback: () => boolean;
}

/** Allowed names besides loopback names on a loopback listener. */
export interface AllowedNames {
  /** In lower case; a name without a port matches every port. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

export interface Gate {
  /** Checks any request. */
  refuse(request: IncomingMessage): HttpRefusal | null;
  /** The origin of the web page whose scripts may read the answer; null if none was allowed by its name. */
  allowedOrigin(request: IncomingMessage): string | null;
  /** Checks the token of a request: a refusal, the token's holder, or null if the token names none. */
  judgeBearer(request: IncomingMessage): HttpRefusal | TokenHolder | null;
  judgeUpgrade(request: IncomingMessage): HttpRefusal | TokenHolder | null;
}

export function isHttpRefusal(judgement: HttpRefusal | TokenHolder | null): judgement is HttpRefusal {
  return judgement !== null && "status" in judgement;
}

const FOREIGN_ORIGIN =
  "web pages are not served: an Origin is only let in where the server was started with --ws-allow-origin and names it";
const FOREIGN_HOST =
  "the Host of this request is not served here: start the server with --ws-allow-host, or call it by a name of loopback";
const BAD_TICKET =
  "the ticket is not known, was used before or is too old: ask for another with POST /ticket";
const TWO_TICKETS = "there is more than one ticket: send one";

export function createGate({ names, judgeUpgrade, tickets, isOnLoopback }: GateOptions): Gate {
  /**
   * A browser sends the origin of the page with every WebSocket. DNS rebinding to 127.0.0.1 is detected by the page's own
   * name in `Host`.
   */
  function refuse({ headers: { origin, host = "" } }: IncomingMessage): HttpRefusal | null {
    if (names === null) return null;
    if (origin !== undefined && !names.origins.includes(origin.toLowerCase()))
      return { status: 403, reason: FOREIGN_ORIGIN };
    const isServed = !isOnLoopback() || isLoopbackName(host) || isAllowed(host, names.hosts);
    return isServed ? null : { status: 403, reason: FOREIGN_HOST };
  }

  /** Several headers are joined and judged as one: `headers` has only the first, and a proxy may have checked the other. */
  function judgeBearer({ headersDistinct }: IncomingMessage): HttpRefusal | TokenHolder | null {
    const judgement = judgeUpgrade?.(headersDistinct["authorization"]?.join(", ")) ?? null;
    return typeof judgement === "string" ? { status: 401, reason: judgement } : judgement;
  }

  return {
    refuse,
    allowedOrigin({ headers: { origin } }) {
      const isAllowed = origin !== undefined && names?.origins.includes(origin.toLowerCase()) === true;
      return isAllowed ? origin : null;
    },
    judgeBearer,
    judgeUpgrade(request) {
      const [ticket, second] = tickets === null ? [] : ticketsOf(request);
      // With a ticket the header is ignored, because it may be a login for a proxy.
      if (ticket === undefined || tickets === null) return judgeBearer(request);
      if (second !== undefined) return { status: 401, reason: TWO_TICKETS };
      const holder = tickets.redeem(ticket);
      return holder === false ? { status: 401, reason: BAD_TICKET } : holder;
    },
  };
}

function isLoopbackName(host: string): boolean {
  const name = withoutPort(host)
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || isLoopback(name);
}

function isAllowed(host: string, allowed: readonly string[]): boolean {
  const name = host.toLowerCase();
  return allowed.includes(name) || allowed.includes(withoutPort(name));
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}
