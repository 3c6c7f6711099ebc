import { setMaxListeners } from "node:events";

/** A controller without Node's listener limit: Node warns of a leak when more than ten tasks listen to a signal. */
export function createSharedAbort(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}
