/** Tickets that this process has printed for the browser of its operator. They are not stored, and end with the process. */
import type { Clock } from "../../base/clock.ts";
import { scopes } from "../../protocol/access/scopes.ts";
import type { PairGrant } from "../../store/devices.ts";
import { BROWSER_LIFETIME_MS, CONSOLE_TICKET_MS } from "./access-limits.ts";
import { createCode, hashOf } from "./pair-codes.ts";

export interface ConsoleTickets {
  issue(): string;
  /** Invalidates a valid ticket and returns its rights; null for any other one. */
  redeem(ticket: string): PairGrant | null;
}

const GRANT: PairGrant = { name: "browser", subject: null, scopes, lifetimeMs: BROWSER_LIFETIME_MS };

/** There is one ticket at a time, because a server prints its address once. */
export function createConsoleTickets({
  clock,
  randomBytes,
}: {
  readonly clock: Pick<Clock, "monotonic">;
  readonly randomBytes: (count: number) => Buffer;
}): ConsoleTickets {
  let issued: { readonly hash: string; readonly expiresAt: number } | null = null;
  return {
    issue() {
      const ticket = createCode(randomBytes);
      // Hashes are compared, so that the time of the comparison shows nothing of the ticket.
      issued = { hash: hashOf(ticket), expiresAt: clock.monotonic() + CONSOLE_TICKET_MS };
      return ticket;
    },
    redeem(ticket) {
      if (issued === null || issued.hash !== hashOf(ticket)) return null;
      const { expiresAt } = issued;
      issued = null;
      return expiresAt > clock.monotonic() ? GRANT : null;
    },
  };
}
