/** Renders webhooks, their deliveries and the results of tests. */
import type {
  WebhookDelivery,
  WebhookListResponse,
  WebhookTestResult,
} from "../../protocol/generated/types.ts";
import type { Paint } from "../command-line/paint.ts";
import { clip } from "../command-line/terminal-text.ts";

const MAX_TEXT_LENGTH = 300;

/** A line for each endpoint, then one for each delivery; why one failed follows on the next line. */
export function renderWebhooks({ endpoints, data, nextCursor }: WebhookListResponse, paint: Paint): string {
  const heads = endpoints.map(({ id, url, off, dropped, events }) => {
    const state = off === null ? paint.good("on ") : paint.bad("off");
    const lost = dropped === 0 ? "" : `  ${paint.bad(`${dropped} events were dropped`)}`;
    const why = off === null ? "" : `  since ${toTime(off.since)}: ${clip(off.reason, MAX_TEXT_LENGTH)}`;
    return `${state}  ${id}  ${clip(url, MAX_TEXT_LENGTH)}  ${paint.faint(events.join(" "))}${why}${lost}\n`;
  });
  const gap = heads.length > 0 && data.length > 0 ? "\n" : "";
  const more = nextCursor === null ? "" : `${paint.faint(`more: --cursor ${nextCursor}`)}\n`;
  return `${heads.join("")}${gap}${data.map((each) => renderDelivery(each, paint)).join("")}${more}`;
}

function renderDelivery(delivery: WebhookDelivery, paint: Paint): string {
  const { id, createdAt, status, type, endpointId, threadId, attempts, dueAt, lastAttempt } = delivery;
  const padded = status.padEnd("abandoned".length);
  const shown = status === "abandoned" ? paint.bad(padded) : padded;
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const next = status === "pending" && dueAt !== null ? `, next ${toTime(dueAt)}` : "";
  const line = `${id.padStart(5)}  ${toTime(createdAt)}  ${shown}  ${type}  ${endpointId}  ${threadId ?? "-"}  ${tries}${next}\n`;
  const error = lastAttempt?.error ?? null;
  return error === null ? line : `${line}       ${clip(error, MAX_TEXT_LENGTH)}\n`;
}

export function renderTests(results: readonly WebhookTestResult[], paint: Paint): string {
  return results
    .map(({ endpointId, delivered, status, error }) =>
      delivered
        ? `${paint.good("accepted")}  ${endpointId}  ${status}\n`
        : `${paint.bad("failed")}    ${endpointId}  ${clip(error ?? "", MAX_TEXT_LENGTH)}\n`,
    )
    .join("");
}

function toTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
