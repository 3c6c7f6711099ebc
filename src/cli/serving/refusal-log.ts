/**
 * Tells whoever runs a server that an `Origin` or a `Host` was turned away: to them it looks as if nothing answered, and
 * the remedy is an option of the server. Whoever is refused can come again at will, so that only so many lines are
 * written in a minute.
 */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { RefusedRequest } from "../../transport/refusal.ts";

const MINUTE_MS = 60_000;
const MAX_LINES = 10;
const MAX_NAME = 100;
const FORBIDDEN = 403;

export function createRefusedNames({
  log,
  clock,
}: {
  readonly log: Logger;
  readonly clock: Pick<Clock, "monotonic">;
}): (refused: RefusedRequest) => void {
  let since = Number.NEGATIVE_INFINITY;
  let count = 0;
  return ({ status, reason, origin, host, page }) => {
    if (status !== FORBIDDEN) return;
    const now = clock.monotonic();
    if (now - since >= MINUTE_MS) {
      since = now;
      count = 0;
    }
    count += 1;
    if (count > MAX_LINES) return;
    const claims = { host: clip(host), page: clip(page) };
    const last = count === MAX_LINES ? { more: "further ones of this minute are not logged" } : {};
    log.error("connection refused", { status, reason, ...origin, ...claims, ...last });
  };
}

/** A caller names what it likes. */
function clip(name: string | null): string | null {
  return name !== null && name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}
