/**
 * One login to an MCP server in the user's browser. It ends exactly once, on the first of these events, and
 * closes its listener.
 *
 *   waiting --callback--> redeeming --tokens are stored--> ended
 *      '--------------- refusal, time-out, cancel -----------^
 */
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import { createDeferred } from "../../../base/tasks.ts";
import { type Callback, type CallbackPage, openCallbackListener } from "./callback-listener.ts";
import type { Credentials } from "./credentials-file.ts";
import { type LoginPlan, type LoginPlanOptions, planLogin } from "./plan-login.ts";

export type LoginOutcome =
  | { readonly kind: "succeeded" }
  | { readonly kind: "failed"; readonly error: string };

export interface Login {
  readonly authorizationUrl: string;
  readonly ended: Promise<LoginOutcome>;
  /** Cancels it, unless it has ended. */
  cancel(reason: string): void;
}

export interface LoginOptions extends Omit<LoginPlanOptions, "redirectUrl"> {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly callback: { readonly port: number | null; readonly url: string | null };
  readonly store: (credentials: Credentials) => Promise<void>;
}

const MAX_REASON_CHARS = 400;
const START_AGAIN = "start the login again";

/** Throws a message for the user when a login is not possible. */
export async function startLogin(options: LoginOptions): Promise<Login> {
  const { clock, callback, server } = options;
  const listener = await openCallbackListener({ ...callback, serverUrl: server.url });
  const aborter = new AbortController();
  const ended = createDeferred<LoginOutcome>();
  let phase: "waiting" | "redeeming" | "ended" = "waiting";
  let stopTimer: () => void = () => {};

  function end(outcome: LoginOutcome): void {
    if (phase === "ended") return;
    phase = "ended";
    stopTimer();
    ended.resolve(outcome);
    aborter.abort(new Error("the login has ended"));
    listener.close();
  }

  async function redeem(plan: LoginPlan, returned: Callback): Promise<void> {
    if (returned.kind === "refused") return end(failed(returned.reason.slice(0, MAX_REASON_CHARS)));
    if (returned.state !== plan.state) {
      return end(failed(`failed to handle OAuth callback: it belongs to another login; ${START_AGAIN}`));
    }
    phase = "redeeming";
    stopTimer();
    try {
      const credentials = await plan.redeem(returned);
      // The tokens of a cancelled login are discarded.
      if (aborter.signal.aborted) return;
      await options.store(credentials);
      end({ kind: "succeeded" });
    } catch (error) {
      const reason = messageOf(error).slice(0, MAX_REASON_CHARS);
      end(failed(`failed to handle OAuth callback: ${reason}; ${START_AGAIN}`));
    }
  }

  try {
    const { redirectUrl } = listener;
    const signal = AbortSignal.any([aborter.signal, options.signal]);
    const plan = await planLogin({ ...options, redirectUrl, signal });
    stopTimer = clock.after(options.timeoutMs, () => end(failed("timed out waiting for OAuth callback")));
    listener.onCallback(async (returned) => {
      await redeem(plan, returned);
      return toPage(await ended.promise);
    });
    return {
      authorizationUrl: plan.authorizationUrl,
      ended: ended.promise,
      cancel: (reason) => end(failed(reason)),
    };
  } catch (error) {
    listener.close();
    throw error;
  }
}

function failed(error: string): LoginOutcome {
  return { kind: "failed", error };
}

function toPage(outcome: LoginOutcome): CallbackPage {
  return outcome.kind === "succeeded"
    ? { status: 200, text: "Authentication complete. You may close this window." }
    : { status: 400, text: outcome.error };
}
