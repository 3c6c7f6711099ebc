/** Limits of waking threads. */

/** A key is stored with its row, and once more with the turn that started. */
export const MAX_WAKE_KEY = 255;
/** Tokens of a thread. */
export const MAX_WAKE_TOKENS = 20;
export const MAX_TOKEN_NAME = 200;
/** The body of an HTTP request that wakes a thread, in bytes. */
export const MAX_WAKE_BODY = 64 * 1024;
/** Requests with one token; repeated ones count as well. */
export const MAX_WAKES_PER_MINUTE = 60;
/** Tokens whose use is counted; the one that was used longest ago is forgotten. */
export const MAX_COUNTED_TOKENS = 10_000;
