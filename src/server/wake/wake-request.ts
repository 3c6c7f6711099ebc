/** A request that wakes a thread by HTTP, apart from how it is served. */

export interface WakeRequest {
  /** The last part of the path. */
  readonly token: string;
  /** With names in lower case, as Node has them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The reader may stop after `MAX_WAKE_BODY` and one more byte. */
  readonly body: Uint8Array;
}

export interface WakeAnswer {
  readonly status: 202 | 400 | 404 | 409 | 413 | 429 | 503;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

export type AnswerWake = (request: WakeRequest) => Promise<WakeAnswer>;
