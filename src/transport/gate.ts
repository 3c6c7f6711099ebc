/**
 * Who may speak to a listener, by what a request says of itself: web pages and names that nobody has allowed are kept
 * out of everything, and an upgrade needs the token or a ticket where one is asked for.
 */
import type { IncomingMessage } from "node:http";
import { isLoopback } from "./listen-address.ts";
import type { HttpRefusal } from "./refusal.ts";
import type { TokenHolder } from "./signed-bearer.ts";
import { type Tickets, ticketsOf } from "./tickets.ts";
import type { JudgeUpgrade } from "./websocket-auth.ts";

export interface GateOptions {
  /** Null on a socket that only its owner can open. */
  readonly names: AllowedNames | null;
  readonly judgeUpgrade: JudgeUpgrade | null;
  /** Null where no token is asked for. */
  readonly tickets: Tickets | null;
  readonly isOnLoopback: () => boolean;
}

/** What is let in besides programs that call a loopback listener by a name of loopback. */
export interface AllowedNames {
  /** In small letters; without a port it stands for all of them. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

export interface Gate {
  /** Of any request. */
  refuse(request: IncomingMessage): HttpRefusal | null;
  /** Of one that would do something: why not, or whose token it has, or null where that is not said. */
  judgeBearer(request: IncomingMessage): HttpRefusal | TokenHolder | null;
  judgeUpgrade(request: IncomingMessage): HttpRefusal | TokenHolder | null;
}

export function isRefusal(judgement: HttpRefusal | TokenHolder | null): judgement is HttpRefusal {
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
   * A page in a browser sends its origin with every WebSocket. A page that rebinds its own name to 127.0.0.1 is betrayed
   * by that name in `Host`.
   */
  function refuse({ headers: { origin, host = "" } }: IncomingMessage): HttpRefusal | null {
    if (names === null) return null;
    if (origin !== undefined && !names.origins.includes(origin.toLowerCase()))
      return { status: 403, reason: FOREIGN_ORIGIN };
    const isServed = !isOnLoopback() || isLoopbackName(host) || isAllowed(host, names.hosts);
    return isServed ? null : { status: 403, reason: FOREIGN_HOST };
  }

  /** Several are judged as one: of two headers `headers` shows the first, and a proxy may have judged the other. */
  function judgeBearer({ headersDistinct }: IncomingMessage): HttpRefusal | TokenHolder | null {
    const judged = judgeUpgrade?.(headersDistinct["authorization"]?.join(", ")) ?? null;
    return typeof judged === "string" ? { status: 401, reason: judged } : judged;
  }

  return {
    refuse,
    judgeBearer,
    judgeUpgrade(request) {
      const [ticket, second] = tickets === null ? [] : ticketsOf(request);
      // The login of a proxy may come along with it.
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
