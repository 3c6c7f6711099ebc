import { setMaxListeners } from "node:events";

/** One whose signal any number of tasks listen to; Node takes more than ten for a leak, and says so. */
export function createSharedAbort(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}
