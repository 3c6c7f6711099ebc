/** Keeps confined commands that have a network from calling the server, which can do more than they may. */
import type { Socket } from "node:net";
import { type CallerOrigin, classifyCallers, type TcpCaller } from "../../sandbox/confined-caller.ts";

export interface CallerCheckOptions {
  /** Whether callers have shown a token; then one whose origin cannot be seen is let in. */
  readonly hasToken: boolean;
}

/** Looks at where a connection over TCP comes from, and says why it is refused, or null. */
export type CallerCheck = (socket: Socket) => Promise<string | null>;

/** Callers that wait while others are looked at; they are looked at together. */
const MAX_WAITING = 1024;

const CONFINED = "sandboxed commands may not call the server";
const UNKNOWN =
  "it cannot be seen whether this connection comes out of a sandbox: start the server with --ws-auth, or connect from a process of the same user";
const BUSY = "too many connections at one time: try again";

interface Waiting {
  readonly caller: TcpCaller;
  readonly decide: (origin: CallerOrigin) => void;
}

export function createCallerCheck({ hasToken }: CallerCheckOptions): CallerCheck {
  let waiting: Waiting[] = [];
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const origins = await classifyCallers(batch.map(({ caller }) => caller)).catch(() => []);
      batch.forEach(({ decide }, index) => decide(origins[index] ?? "unknown"));
    }
    isLooking = false;
  }

  return async (socket) => {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    if (remoteAddress === undefined || remotePort === undefined) return UNKNOWN;
    if (localAddress === undefined || localPort === undefined) return UNKNOWN;
    if (waiting.length >= MAX_WAITING) return BUSY;
    const origin = await new Promise<CallerOrigin>((decide) => {
      waiting.push({ caller: { remoteAddress, remotePort, localAddress, localPort }, decide });
      if (!isLooking) void look();
    });
    if (origin === "outside" || (origin === "unknown" && hasToken)) return null;
    return origin === "confined" ? CONFINED : UNKNOWN;
  };
}
