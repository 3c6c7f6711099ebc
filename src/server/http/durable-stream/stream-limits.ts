/** The limits of a mounted stream, documented in docs/limits.md; tests have shorter ones. */
export interface StreamLimits {
  /** The size of a page: of a catch-up answer, and of one event over SSE. A larger message is a page of its own. */
  readonly pageBytes: number;
  /** How long a long-poll waits. */
  readonly longPollMs: number;
  /** How long an SSE connection lasts; its client then connects again. */
  readonly sseMs: number;
  /** The pause after which an SSE connection sends a comment, so that proxies do not end it. */
  readonly keepAliveMs: number;
  /** The bytes of live texts that wait for one reader. */
  readonly liveBytes: number;
  /** The number of requests that are answered at the same time. */
  readonly readers: number;
}

export const defaultStreamLimits: StreamLimits = {
  pageBytes: 256 * 1024,
  longPollMs: 30_000,
  sseMs: 60_000,
  keepAliveMs: 15_000,
  liveBytes: 64 * 1024,
  readers: 1024,
};
