/** The routes of read-only streams; the events of threads are streams of JSON. */
import type { Clock } from "../../base/clock.ts";
import { once } from "../../base/tasks.ts";
import type { EventLogs } from "./durable-stream/event-log.ts";
import { preflightHeaders, streamHeaders } from "./durable-stream/stream-headers.ts";
import { defaultStreamLimits, type StreamLimits } from "./durable-stream/stream-limits.ts";
import type { Route } from "./route-table.ts";

export interface StreamRoutesOptions {
  readonly logs: EventLogs;
  readonly clock: Clock;
  /** At least 0, and less than 1. */
  readonly random: () => number;
  readonly limits?: StreamLimits;
}

export function threadEventRoutes(options: StreamRoutesOptions): readonly Route[] {
  return streamRoutes("/threads/{id}/events", options);
}

/** The path has the parameter `id`. The code that answers is loaded by the first request. */
export function streamRoutes(
  path: string,
  { logs, clock, random, limits = defaultStreamLimits }: StreamRoutesOptions,
): readonly Route[] {
  const stream = once(async () => {
    const { createDurableStream } = await import("./durable-stream/durable-stream.ts");
    return createDurableStream({ logs, clock, random, limits });
  });
  return [
    {
      methods: ["GET"],
      path,
      access: "client",
      headers: streamHeaders,
      answer: async (request, params, holder) => (await stream.get())(request, params["id"] ?? "", holder),
    },
    {
      // Browsers ask without a token.
      methods: ["OPTIONS"],
      path,
      access: "anyone",
      headers: streamHeaders,
      answer: async () => ({ status: 204, headers: preflightHeaders, body: null }),
    },
  ];
}
