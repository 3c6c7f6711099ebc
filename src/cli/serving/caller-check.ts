/**
 * Rejects connections from sandboxed commands with network access, because the server has more rights than they have.
 */
import type { Socket } from "node:net";
import { type CallerOrigin, classifyCallers, type TcpCaller } from "../../sandbox/confined-caller.ts";

export interface CallerCheckOptions {
  /** Whether callers have presented a token; then a caller of unknown origin is accepted. */
  readonly hasToken: boolean;
}

/** Classifies the origin of a TCP connection; returns the reason of a refusal, or null. */
export type CallerCheck = (socket: Socket) => Promise<string | null>;

/** The limit of callers that wait for the running classification; they are classified as one batch. */
const MAX_WAITING = 1024;

const CONFINED = "sandboxed commands may not call the server";
const UNKNOWN =
  "it is unknown whether this connection comes from a sandbox: start the server with --ws-auth, or connect from a process of the same user";
const BUSY = "too many connections at one time: try again";

interface Waiting {
  readonly caller: TcpCaller;
  readonly decide: (origin: CallerOrigin) => void;
}

export function createCallerCheck({ hasToken }: CallerCheckOptions): CallerCheck {
  let waiting: Waiting[] = [];
  let isClassifying = false;

  async function classifyWaiting(): Promise<void> {
    isClassifying = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const origins = await classifyCallers(batch.map(({ caller }) => caller)).catch(() => []);
      batch.forEach(({ decide }, index) => decide(origins[index] ?? "unknown"));
    }
    isClassifying = false;
  }

  return async (socket) => {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    if (remoteAddress === undefined || remotePort === undefined) return UNKNOWN;
    if (localAddress === undefined || localPort === undefined) return UNKNOWN;
    if (waiting.length >= MAX_WAITING) return BUSY;
    const origin = await new Promise<CallerOrigin>((decide) => {
      waiting.push({ caller: { remoteAddress, remotePort, localAddress, localPort }, decide });
      if (!isClassifying) void classifyWaiting();
    });
    if (origin === "outside" || (origin === "unknown" && hasToken)) return null;
    return origin === "confined" ? CONFINED : UNKNOWN;
  };
}
