/** What `/readyz` says of a server: whether threads can be started and kept in it now. */
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Heddle } from "../../server/heddle.ts";

export interface Readiness {
  /** Why the server is not ready, in a line for whoever probes; null where it is. */
  reason(): Promise<string | null>;
  /** Running turns are finished, and then the server ends: whoever spreads connections is to choose another one. */
  end(): void;
}

const ENDING = "the server is ending: running turns are finished first";
const UNUSABLE = "the server cannot be used: its log says why";

/** Whoever probes learns no path and no word of the configuration: they are in the log, once for each fault. */
export function createReadiness({ checkReady }: Pick<Heddle, "checkReady">, log: Logger): Readiness {
  let isEnding = false;
  let known: string | null = null;
  return {
    async reason() {
      if (isEnding) return ENDING;
      const fault = await checkReady().then(() => null, messageOf);
      if (fault !== null && fault !== known) log.error("the server cannot be used", { fault });
      known = fault;
      return fault === null ? null : UNUSABLE;
    },
    end() {
      isEnding = true;
    },
  };
}
