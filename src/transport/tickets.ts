/**
 * Tickets for browsers, which cannot send a token with a WebSocket: whoever has the token gets one, and whoever shows
 * it within a short time may connect, once. In an address or a list of protocols it is worth nothing afterwards.
 */
import type { IncomingMessage } from "node:http";
import type { TokenHolder } from "./signed-bearer.ts";

export interface Tickets {
  /** For whoever has shown a token. Null while too many wait to be used. */
  issue(holder: TokenHolder | null): string | null;
  /** Whose it is, where it was good until now; it is no longer. False for any other. */
  redeem(ticket: string): TokenHolder | null | false;
}

interface TicketOptions {
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  readonly randomBytes: (count: number) => Buffer;
}

export const TICKET_MS = 30_000;
export const MAX_TICKETS = 1024;
const TICKET_BYTES = 32;
const PARAMETER = "ticket";
const PROTOCOL_PREFIX = "heddle-ticket.";

export function createTickets({ now, randomBytes }: TicketOptions): Tickets {
  /** In the order of their end. */
  const issued = new Map<string, { readonly end: number; readonly holder: TokenHolder | null }>();

  function forgetOld(): void {
    for (const [ticket, { end }] of issued) {
      if (end > now()) return;
      issued.delete(ticket);
    }
  }

  return {
    issue(holder) {
      forgetOld();
      if (issued.size >= MAX_TICKETS) return null;
      const ticket = randomBytes(TICKET_BYTES).toString("base64url");
      issued.set(ticket, { end: now() + TICKET_MS, holder });
      return ticket;
    },
    redeem(ticket) {
      forgetOld();
      const found = issued.get(ticket);
      issued.delete(ticket);
      return found === undefined ? false : found.holder;
    },
  };
}

/** The tickets that come with an upgrade: in its address, or among the protocols that it offers. */
export function ticketsOf({ url = "", headers }: Pick<IncomingMessage, "url" | "headers">): string[] {
  const query = url.indexOf("?");
  const inAddress = query < 0 ? [] : new URLSearchParams(url.slice(query)).getAll(PARAMETER);
  const offered = headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim()) ?? [];
  return [
    ...inAddress,
    ...offered.filter(isTicketProtocol).map((name) => name.slice(PROTOCOL_PREFIX.length)),
  ];
}

/** A browser wants one of the protocols that it offers back; a ticket only where it offers nothing else. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  const names = [...offered];
  return names.find((name) => !isTicketProtocol(name)) ?? names[0] ?? false;
}

function isTicketProtocol(name: string): boolean {
  return name.startsWith(PROTOCOL_PREFIX);
}
