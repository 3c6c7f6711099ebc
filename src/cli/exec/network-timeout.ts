/** Gives up an unattended turn whose provider is unreachable; the server itself would retry forever. */
import type { Clock } from "../../base/clock.ts";
import type { TurnError } from "../../protocol/generated/types.ts";
import type { Notice } from "./notice.ts";

export const DEFAULT_NETWORK_TIMEOUT_SECONDS = 120;

/** Sent by the server while it retries until the network is back. */
const WAITING = "Reconnecting... waiting for network";

export interface NetworkTimeout {
  /** Must receive all notices of the turn, in order. */
  onNotice(notice: Notice): void;
  /** Cancels the timer. */
  end(): void;
  /** Set after the timeout. */
  readonly error: TurnError | null;
}

export interface NetworkTimeoutOptions {
  readonly clock: Clock;
  readonly seconds: number;
  readonly onTimeout: () => void;
}

export function createNetworkTimeout({ clock, seconds, onTimeout }: NetworkTimeoutOptions): NetworkTimeout {
  let cancel: (() => void) | null = null;
  let cause = "";
  let error: TurnError | null = null;

  function stop(): void {
    cancel?.();
    cancel = null;
  }

  return {
    onNotice({ method, params }) {
      if (method === "error" && params.willRetry && params.error.message === WAITING) {
        cause = params.error.additionalDetails ?? WAITING;
        cancel ??= clock.after(seconds * 1000, () => {
          error = createTimeoutError(seconds, cause);
          onTimeout();
        });
      } else if (method.startsWith("item/") || method === "error") stop();
    },
    end: stop,
    get error() {
      return error;
    },
  };
}

function createTimeoutError(seconds: number, cause: string): TurnError {
  return {
    message: `the model provider was not reached within ${seconds} seconds: ${cause}. Check base_url in config.toml and the network with heddle doctor, or wait longer with --network-timeout.`,
    codexErrorInfo: { httpConnectionFailed: { httpStatusCode: null } },
    additionalDetails: null,
    misalignment: null,
  };
}
