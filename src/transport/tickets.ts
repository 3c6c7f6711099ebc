/**
 * Single-use tickets for browsers, which cannot send a token with a WebSocket. A ticket is issued to a holder of the token
 * and allows one connection within a short time, so one that leaks from a logged URL or protocol list is useless.
 */
import type { IncomingMessage } from "node:http";
import type { TokenHolder } from "./token-holder.ts";

export interface Tickets {
  /** Issues a ticket to the holder of a token. Null if too many are outstanding. */
  issue(holder: TokenHolder | null): string | null;
  /** Invalidates a valid ticket and returns its holder. False for any other ticket. */
  redeem(ticket: string): TokenHolder | null | false;
}

interface TicketOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (count: number) => Buffer;
}

export const TICKET_MS = 30_000;
export const MAX_TICKETS = 1024;
const TICKET_BYTES = 32;
const PARAMETER = "ticket";
const PROTOCOL_PREFIX = "heddle-ticket.";

export function createTickets({ now, randomBytes }: TicketOptions): Tickets {
  /** In order of expiry. */
  const issued = new Map<string, { readonly expiresAt: number; readonly holder: TokenHolder | null }>();

  function dropExpired(): void {
    for (const [ticket, { expiresAt }] of issued) {
      if (expiresAt > now()) return;
      issued.delete(ticket);
    }
  }

  return {
    issue(holder) {
      dropExpired();
      if (issued.size >= MAX_TICKETS) return null;
      const ticket = randomBytes(TICKET_BYTES).toString("base64url");
      issued.set(ticket, { expiresAt: now() + TICKET_MS, holder });
      return ticket;
    },
    redeem(ticket) {
      dropExpired();
      const found = issued.get(ticket);
      issued.delete(ticket);
      return found === undefined ? false : found.holder;
    },
  };
}

/** The tickets of an upgrade, in its query or among its subprotocols. */
export function ticketsOf({ url = "", headers }: Pick<IncomingMessage, "url" | "headers">): string[] {
  const query = url.indexOf("?");
  const inQuery = query < 0 ? [] : new URLSearchParams(url.slice(query)).getAll(PARAMETER);
  const offered = headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim()) ?? [];
  return [...inQuery, ...offered.filter(isTicketProtocol).map((name) => name.slice(PROTOCOL_PREFIX.length))];
}

/** A browser requires one of its offered subprotocols; a ticket is selected only if there is no other. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  const names = [...offered];
  return names.find((name) => !isTicketProtocol(name)) ?? names[0] ?? false;
}

function isTicketProtocol(name: string): boolean {
  return name.startsWith(PROTOCOL_PREFIX);
}
