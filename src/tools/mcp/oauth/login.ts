/**
 * One login to an MCP server in the user's browser. It ends exactly once, whatever comes first, and takes its
 * listener with it.
 *
 *   waiting --callback--> redeeming --tokens are stored--> ended
 *      '--------------- refusal, time-out, cancel -----------^
 */
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import { createDeferred } from "../../../base/tasks.ts";
import { type Callback, openCallbackListener, type Page } from "./callback-listener.ts";
import type { Credentials } from "./credentials-file.ts";
import { type LoginPlan, type PlanOptions, planLogin } from "./plan-login.ts";

export type LoginOutcome =
  | { readonly kind: "succeeded" }
  | { readonly kind: "failed"; readonly error: string };

export interface Login {
  readonly authorizationUrl: string;
  readonly ended: Promise<LoginOutcome>;
  /** Ends it, unless it has ended. */
  cancel(reason: string): void;
}

export interface LoginOptions extends Omit<PlanOptions, "redirectUrl"> {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly callback: { readonly port: number | null; readonly url: string | null };
  readonly store: (credentials: Credentials) => Promise<void>;
}

const MAX_REASON_CHARS = 400;
const AGAIN = "start the login again";

/** Throws, with words for the user, when there is no way to log in. */
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
      return end(failed(`failed to handle OAuth callback: it belongs to another login; ${AGAIN}`));
    }
    phase = "redeeming";
    stopTimer();
    try {
      const credentials = await plan.redeem(returned);
      // Whoever cancelled the login wants none of it.
      if (aborter.signal.aborted) return;
      await options.store(credentials);
      end({ kind: "succeeded" });
    } catch (error) {
      const reason = messageOf(error).slice(0, MAX_REASON_CHARS);
      end(failed(`failed to handle OAuth callback: ${reason}; ${AGAIN}`));
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

function toPage(outcome: LoginOutcome): Page {
  return outcome.kind === "succeeded"
    ? { status: 200, text: "Authentication complete. You may close this window." }
    : { status: 400, text: outcome.error };
}
