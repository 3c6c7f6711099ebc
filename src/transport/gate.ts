/**
 * Access control of a listener by request headers: web pages and host names that are not allowed are rejected for all
 * paths, and an upgrade needs the token or a ticket if authentication is configured.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { isLoopback } from "./listen-address.ts";
import type { HttpRefusal } from "./refusal.ts";
import { sessionOf } from "./session-cookie.ts";
import { type Tickets, ticketsOf } from "./tickets.ts";
import type { Sessions, TokenHolder } from "./token-holder.ts";
import type { JudgeUpgrade } from "./websocket-auth.ts";

/** The page that this server serves itself; it may connect from its own origin, with the cookie of a session. */
export interface OwnPage {
  readonly isSentByTls: (request: IncomingMessage) => boolean;
  readonly sessions: Sessions;
}

export interface GateOptions {
  /** Null for a socket that only its owner can open. */
  readonly names: AllowedNames | null;
  readonly judgeUpgrade: JudgeUpgrade | null;
  /** Null without authentication. */
  readonly tickets: Tickets | null;
  readonly isOnLoopback: () => boolean;
  /** Null if the server has no page. */
  readonly page?: OwnPage | null;
}

/** A refusal, the holder of the token, or null if there is no token that names one. */
type Judgement = HttpRefusal | TokenHolder | null;

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
  /** Whether the page of this server sent the request. */
  isOwnPage(request: IncomingMessage): boolean;
  /** Checks the token or the session of a request. */
  judgeRequest(request: IncomingMessage): Judgement | Promise<Judgement>;
  judgeUpgrade(request: IncomingMessage): Judgement | Promise<Judgement>;
}

export function isHttpRefusal(judgement: Judgement): judgement is HttpRefusal {
  return judgement !== null && "status" in judgement;
}

const FOREIGN_ORIGIN =
  "web pages are not served: an Origin is only let in where the server was started with --ws-allow-origin and names it";
const FOREIGN_HOST =
  "the Host of this request is not served here: start the server with --ws-allow-host, or call it by a name of loopback";
const BAD_TICKET =
  "the ticket is not known, was used before or is too old: ask for another with POST /ticket";
const NO_SESSION = "the session is over: open the console with a new address of `heddle pair`";
const TWO_TICKETS = "there is more than one ticket: send one";

export function createGate({ names, judgeUpgrade, tickets, isOnLoopback, page = null }: GateOptions): Gate {
  /**
   * A browser sends the origin of the page with every WebSocket. DNS rebinding to 127.0.0.1 is detected by the page's own
   * name in `Host`.
   */
  function refuse(request: IncomingMessage): HttpRefusal | null {
    if (names === null) return null;
    const { origin, host = "" } = request.headers;
    if (origin !== undefined && !names.origins.includes(origin.toLowerCase()) && !isOwnPage(request))
      return { status: 403, reason: FOREIGN_ORIGIN };
    const isServed = !isOnLoopback() || isLoopbackName(host) || isAllowed(host, names.hosts);
    return isServed ? null : { status: 403, reason: FOREIGN_HOST };
  }

  /**
   * A page of the same origin: the host is one of this server, so that no other name leads here, and the browser says that the
   * page has this scheme and host. Without an `Origin`, as for `GET`, it says so in `Sec-Fetch-Site`.
   */
  function isOwnPage(request: IncomingMessage): boolean {
    const { headers, socket } = request;
    const { origin, host = "" } = headers;
    if (page === null || names === null) return false;
    const isOwnHost = isLoopbackName(host) || isAllowed(host, names.hosts) || isLocalAddress(host, socket);
    if (!isOwnHost) return false;
    if (origin === undefined) return headers["sec-fetch-site"] === "same-origin";
    const scheme = page.isSentByTls(request) ? "https" : "http";
    return origin.toLowerCase() === `${scheme}://${host.toLowerCase()}`;
  }

  /** A session counts only for the own page: browsers send cookies with requests of other pages as well. */
  function judgeSession(request: IncomingMessage): Judgement | Promise<Judgement> {
    const { headers } = request;
    const secret = page === null || headers.authorization !== undefined ? null : sessionOf(headers);
    if (secret === null || page === null || !isOwnPage(request)) return judgeBearer(request);
    return page.sessions.find(secret).then((holder) => holder ?? withoutSession());
  }

  /** An unknown session is as good as none. */
  function withoutSession(): Judgement {
    return judgeUpgrade === null ? null : { status: 401, reason: NO_SESSION };
  }

  /** Several headers are joined and judged as one: `headers` has only the first, and a proxy may have checked the other. */
  function judgeBearer({ headersDistinct }: IncomingMessage): Judgement {
    const judgement = judgeUpgrade?.(headersDistinct["authorization"]?.join(", ")) ?? null;
    return typeof judgement === "string" ? { status: 401, reason: judgement } : judgement;
  }

  return {
    refuse,
    allowedOrigin({ headers: { origin } }) {
      const isAllowed = origin !== undefined && names?.origins.includes(origin.toLowerCase()) === true;
      return isAllowed ? origin : null;
    },
    isOwnPage,
    judgeRequest: judgeSession,
    judgeUpgrade(request) {
      const [ticket, second] = tickets === null ? [] : ticketsOf(request);
      // With a ticket the header is ignored, because it may be a login for a proxy.
      if (ticket === undefined || tickets === null)
        return request.headers.origin === undefined ? judgeBearer(request) : judgeSession(request);
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

/** The address that the caller has connected to: no name can lead a browser to it with this `Host`. */
function isLocalAddress(host: string, socket: Socket): boolean {
  const address = socket.localAddress?.replace(/^::ffff:/, "");
  return address !== undefined && withoutPort(host).replace(/^\[(.*)\]$/, "$1") === address;
}

function isAllowed(host: string, allowed: readonly string[]): boolean {
  const name = host.toLowerCase();
  return allowed.includes(name) || allowed.includes(withoutPort(name));
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}
