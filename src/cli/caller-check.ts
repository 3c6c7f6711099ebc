import type { Socket } from "node:net";
import type { Logger } from "../base/logger.ts";
import { judgeCaller } from "../sandbox/confined-caller.ts";

export interface CallerCheckOptions {
  /** Whether callers have shown a token; then one whose origin cannot be seen is let in. */
  readonly hasToken: boolean;
  readonly log: Logger;
}

/** Callers that are looked at, or wait for it, at one time; each takes some milliseconds. */
const MAX_CALLERS = 32;

const CONFINED = "sandboxed commands may not call the server";
const UNKNOWN =
  "it cannot be seen whether this connection comes out of a sandbox: start the server with --ws-auth, or connect from a process of the same user";
const BUSY = "too many connections at one time: try again";

/** Keeps confined commands that have a network from calling the server, which can do more than they may. */
export function createCallerCheck({ hasToken, log }: CallerCheckOptions) {
  let waiting = 0;
  let line: Promise<unknown> = Promise.resolve();

  async function look(socket: Socket): Promise<string | null> {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    if (remoteAddress === undefined || remotePort === undefined) return UNKNOWN;
    if (localAddress === undefined || localPort === undefined) return UNKNOWN;
    const verdict = await judgeCaller({ remoteAddress, remotePort, localAddress, localPort });
    if (verdict === "outside" || (verdict === "unknown" && hasToken)) return null;
    log.warn("refused a connection", { from: `${remoteAddress}:${remotePort}`, verdict });
    return verdict === "confined" ? CONFINED : UNKNOWN;
  }

  return async (socket: Socket): Promise<string | null> => {
    if (waiting >= MAX_CALLERS) return BUSY;
    waiting += 1;
    const looked = line.then(() => look(socket));
    line = looked.catch(() => {});
    try {
      return await looked;
    } catch {
      return UNKNOWN;
    } finally {
      waiting -= 1;
    }
  };
}
