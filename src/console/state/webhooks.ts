/** The webhooks of the configuration, and their latest deliveries. */
import type { Client } from "../../client/browser.ts";
import type { WebhookDelivery, WebhookListResponse } from "../../protocol/generated/types.ts";
import { createLoaded } from "./loaded.ts";

const DELIVERIES = 50;

export const webhookList = createLoaded<WebhookListResponse>((client) =>
  client.request("webhook/list", { limit: DELIVERIES }),
);

export interface Deliveries {
  readonly waiting: number;
  readonly abandoned: number;
  readonly latest: WebhookDelivery | null;
}

/** Among the latest ones. */
export function deliveriesOf({ data }: Pick<WebhookListResponse, "data">, endpointId: string): Deliveries {
  const own = data.filter((delivery) => delivery.endpointId === endpointId);
  const waiting = own.filter(({ status }) => status === "pending" || status === "claimed").length;
  const abandoned = own.filter(({ status }) => status === "abandoned").length;
  return { waiting, abandoned, latest: own.find(({ lastAttempt }) => lastAttempt !== null) ?? null };
}

export async function testWebhook(client: Client, endpointId: string): Promise<void> {
  const { results } = await client.request("webhook/test", { endpointId });
  const [result] = results;
  if (result === undefined) throw new Error("The webhook is not configured any more.");
  if (result.delivered) return;
  const status = result.status === null ? "" : ` with status ${result.status}`;
  throw new Error(`The test was not delivered${status}: ${result.error ?? "without a reason"}`);
}

export async function retryWebhook(
  client: Client,
  which: { readonly endpointId: string } | { readonly deliveryId: string },
): Promise<void> {
  await client.request("webhook/retry", which);
  await webhookList.load(client);
}
