/**
 * Tickets for browsers, which cannot send a token with a WebSocket: whoever has the token gets one, and whoever shows
 * it within a short time may connect, once. In an address or a list of protocols it is worth nothing afterwards.
 */
import type { IncomingMessage } from "node:http";

export interface Tickets {
  /** Null while too many wait to be used. */
  issue(): string | null;
  /** Whether it was good until now; it is no longer. */
  redeem(ticket: string): boolean;
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
  const ends = new Map<string, number>();

  function forgetOld(): void {
    for (const [ticket, end] of ends) {
      if (end > now()) return;
      ends.delete(ticket);
    }
  }

  return {
    issue() {
      forgetOld();
      if (ends.size >= MAX_TICKETS) return null;
      const ticket = randomBytes(TICKET_BYTES).toString("base64url");
      ends.set(ticket, now() + TICKET_MS);
      return ticket;
    },
    redeem(ticket) {
      forgetOld();
      return ends.delete(ticket);
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
