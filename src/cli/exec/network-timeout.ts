/** How long a turn that nobody watches waits for a provider that cannot be reached: a server would wait for ever. */
import type { Clock } from "../../base/clock.ts";
import type { TurnError } from "../../protocol/generated/types.ts";
import type { Notice } from "./notice.ts";

export const DEFAULT_NETWORK_TIMEOUT_SECONDS = 120;

/** The server's announcement that it goes on trying until the network is back. */
const WAITING = "Reconnecting... waiting for network";

export interface NetworkPatience {
  /** Hears everything of the turn, in order. */
  hear(notice: Notice): void;
  /** The turn has ended. */
  end(): void;
  /** Why it was given up; null where it was not. */
  readonly fault: TurnError | null;
}

export interface NetworkPatienceOptions {
  readonly clock: Clock;
  readonly seconds: number;
  readonly onGivenUp: () => void;
}

export function createNetworkPatience({
  clock,
  seconds,
  onGivenUp,
}: NetworkPatienceOptions): NetworkPatience {
  let cancel: (() => void) | null = null;
  let cause = "";
  let fault: TurnError | null = null;

  function stop(): void {
    cancel?.();
    cancel = null;
  }

  return {
    hear({ method, params }) {
      if (method === "error" && params.willRetry && params.error.message === WAITING) {
        cause = params.error.additionalDetails ?? WAITING;
        cancel ??= clock.after(seconds * 1000, () => {
          fault = givenUp(seconds, cause);
          onGivenUp();
        });
      } else if (method.startsWith("item/") || method === "error") stop();
    },
    end: stop,
    get fault() {
      return fault;
    },
  };
}

function givenUp(seconds: number, cause: string): TurnError {
  return {
    message: `the model provider was not reached within ${seconds} seconds: ${cause}. Check base_url in config.toml and the network with heddle doctor, or wait longer with --network-timeout.`,
    codexErrorInfo: { httpConnectionFailed: { httpStatusCode: null } },
    additionalDetails: null,
    misalignment: null,
  };
}
