/** The routes that every listener has: health probes, and where they are enabled metrics and tickets. */
import { type HttpAnswer, plainAnswer } from "../../transport/http-routes.ts";
import { TICKET_MS, type Tickets } from "../../transport/tickets.ts";
import type { Route } from "./route-table.ts";

export interface ServerRoutesOptions {
  /** Null, or why the server is not ready, for `/readyz`; if absent, a listening server is ready. Never rejects. */
  readonly unreadiness?: (() => Promise<string | null>) | undefined;
  /** The `/metrics` page, which requires the token if authentication is configured. Never rejects. */
  readonly metrics?: MetricsPage | undefined;
  /** Null without authentication. */
  readonly tickets: Tickets | null;
}

/** A text page that is generated per request. */
export interface MetricsPage {
  readonly contentType: string;
  read(): Promise<string>;
}

const EMPTY: HttpAnswer = { status: 200, body: "", headers: {} };

export function serverRoutes({ unreadiness, metrics, tickets }: ServerRoutesOptions): readonly Route[] {
  const routes: Route[] = [
    { methods: ["GET"], path: "/healthz", access: "anyone", answer: async () => EMPTY },
    {
      methods: ["GET"],
      path: "/readyz",
      access: "anyone",
      async answer() {
        const reason = (await unreadiness?.()) ?? null;
        return reason === null ? EMPTY : plainAnswer(503, reason);
      },
    },
  ];
  if (metrics !== undefined) routes.push(metricsRoute(metrics));
  if (tickets !== null) routes.push(ticketRoute(tickets));
  return routes;
}

function metricsRoute({ contentType, read }: MetricsPage): Route {
  return {
    methods: ["GET"],
    path: "/metrics",
    access: "token",
    answer: async () => ({
      status: 200,
      body: await read(),
      headers: { "content-type": contentType, "cache-control": "no-store" },
    }),
  };
}

function ticketRoute(tickets: Tickets): Route {
  return {
    methods: ["POST"],
    path: "/ticket",
    access: "token",
    async answer(_request, _params, holder) {
      const ticket = tickets.issue(holder);
      if (ticket === null) return plainAnswer(429, "too many tickets wait to be used: try again later");
      const body = JSON.stringify({ ticket, expiresInSeconds: TICKET_MS / 1000 });
      const headers = { "content-type": "application/json", "cache-control": "no-store" };
      return { status: 200, body, headers };
    },
  };
}
