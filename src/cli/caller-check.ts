import type { Socket } from "node:net";
import type { Logger } from "../base/logger.ts";
import { type Caller, type CallerOrigin, classifyCallers } from "../sandbox/confined-caller.ts";

export interface CallerCheckOptions {
  /** Whether callers have shown a token; then one whose origin cannot be seen is let in. */
  readonly hasToken: boolean;
  readonly log: Logger;
}

/** Callers that wait while others are looked at; they are looked at together. */
const MAX_WAITING = 1024;

const CONFINED = "sandboxed commands may not call the server";
const UNKNOWN =
  "it cannot be seen whether this connection comes out of a sandbox: start the server with --ws-auth, or connect from a process of the same user";
const BUSY = "too many connections at one time: try again";

interface Waiting {
  readonly caller: Caller;
  readonly decide: (verdict: CallerOrigin) => void;
}

/** Keeps confined commands that have a network from calling the server, which can do more than they may. */
export function createCallerCheck({ hasToken, log }: CallerCheckOptions) {
  let waiting: Waiting[] = [];
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const verdicts = await classifyCallers(batch.map(({ caller }) => caller)).catch(() => []);
      batch.forEach(({ decide }, index) => decide(verdicts[index] ?? "unknown"));
    }
    isLooking = false;
  }

  return async (socket: Socket): Promise<string | null> => {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    if (remoteAddress === undefined || remotePort === undefined) return UNKNOWN;
    if (localAddress === undefined || localPort === undefined) return UNKNOWN;
    if (waiting.length >= MAX_WAITING) return BUSY;
    const verdict = await new Promise<CallerOrigin>((decide) => {
      waiting.push({ caller: { remoteAddress, remotePort, localAddress, localPort }, decide });
      if (!isLooking) void look();
    });
    if (verdict === "outside" || (verdict === "unknown" && hasToken)) return null;
    log.warn("refused a connection", { from: `${remoteAddress}:${remotePort}`, verdict });
    return verdict === "confined" ? CONFINED : UNKNOWN;
  };
}
