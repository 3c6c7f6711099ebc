/**
 * Logs connections refused for their `Origin` or `Host`, because to the caller it looks as if nothing answered, and the
 * remedy is a server option. The log rate is limited, because callers can retry at will.
 */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { RefusedRequest } from "../../transport/refusal.ts";

const MINUTE_MS = 60_000;
const MAX_LINES = 10;
const MAX_NAME = 100;
const FORBIDDEN = 403;

export function createRefusalLog({
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

/** The names are untrusted input, so they are truncated. */
function clip(name: string | null): string | null {
  return name !== null && name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}
