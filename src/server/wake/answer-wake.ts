/**
 * Answers `POST /wake/<token>`, with which a program outside wakes one thread. It may be called by anybody who has the
 * token, as often as they like: it is bounded in every way, says nothing about the thread, and what it passes on is
 * marked as untrusted.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { LaneHolder } from "../../runtime/threads/lane.ts";
import { delimitUntrusted } from "../../runtime/wake/delimit-untrusted.ts";
import { MAX_WAKE_BODY, MAX_WAKE_KEY } from "../../runtime/wake/wake-limits.ts";
import { createWakeRate } from "../../runtime/wake/wake-rate.ts";
import { type WakeParts, wakeThread } from "../../runtime/wake/wake-thread.ts";
import { findWakeToken } from "../../runtime/wake/wake-tokens.ts";
import type { Store } from "../../store/store.ts";
import type { StoredWakeToken } from "../../store/wake-tokens.ts";
import type { AnswerWake, WakeAnswer, WakeRequest } from "./wake-request.ts";

export interface AnswerWakeOptions extends Omit<WakeParts, "store"> {
  readonly store: () => Promise<Pick<Store, "threads" | "wakeTokens">>;
  readonly threads: LaneHolder;
  readonly clock: Pick<Clock, "monotonic">;
  /** Returns a word that cannot be guessed. */
  readonly createNonce: () => string;
}

/** A queue that is full is tried again after this time. */
const FULL_RETRY_S = 60;

export function createAnswerWake(options: AnswerWakeOptions): AnswerWake {
  const { store, threads, createNonce } = options;
  const rate = createWakeRate(options.clock);

  async function wake(token: StoredWakeToken, key: string, text: string): Promise<WakeAnswer> {
    // The tokens of a thread have keys of their own, so that none can use up the keys of another.
    const source = `wake-token:${token.tokenId}`;
    const input = [{ type: "text" as const, text: delimitUntrusted(text, createNonce) }];
    return threads.withLane(token.threadId, async (lane) => {
      const woken = await wakeThread(lane, { source, key, input }, options);
      if (isRefusal(woken)) return refuse(409, "the thread cannot be woken now");
      const { outcome } = woken;
      if (outcome.kind === "full")
        return refuse(503, "the queue of the thread is full", { "retry-after": String(FULL_RETRY_S) });
      if (outcome.kind !== "started") outcome.begin();
      return answer(202, { status: outcome.kind === "added" ? "queued" : "known" });
    });
  }

  return async ({ token: secret, headers, body }) => {
    if (body.length > MAX_WAKE_BODY) return refuse(413, `the body may have ${MAX_WAKE_BODY} bytes`);
    const token = await findWakeToken(secret, (await store()).wakeTokens);
    if (token === null) return refuse(404, "there is no such token");
    const waitMs = rate.take(token.tokenId);
    if (waitMs > 0)
      return refuse(429, "too many requests with this token", {
        "retry-after": String(Math.ceil(waitMs / 1000)),
      });
    const key = readKey(headers["idempotency-key"], body);
    if (key === null) return refuse(400, `send one Idempotency-Key of 1 to ${MAX_KEY} characters, or a body`);
    const text = decode(body);
    if (text === null) return refuse(400, "the body must be text in UTF-8");
    return wake(token, key, text);
  };
}

/** Leaves room for the word before the key. */
const MAX_KEY = MAX_WAKE_KEY - 8;

/** The key of a header is never the digest of a body. Null if there is neither a key nor a body. */
function readKey(header: WakeRequest["headers"][string], body: Uint8Array): string | null {
  if (header === undefined)
    return body.length === 0 ? null : `body:${createHash("sha256").update(body).digest("hex")}`;
  const isKey = typeof header === "string" && header !== "" && header.length <= MAX_KEY;
  return isKey ? `header:${header}` : null;
}

function decode(body: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}

function refuse(
  status: WakeAnswer["status"],
  error: string,
  headers: Readonly<Record<string, string>> = {},
): WakeAnswer {
  return answer(status, { error }, headers);
}

function answer(
  status: WakeAnswer["status"],
  body: object,
  headers: Readonly<Record<string, string>> = {},
): WakeAnswer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: `${JSON.stringify(body)}\n`,
  };
}
