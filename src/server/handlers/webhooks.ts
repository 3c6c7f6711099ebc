import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { Announcements } from "../../runtime/webhooks/announcements.ts";
import {
  listWebhooks,
  retryWebhooks,
  testWebhooks,
  type WebhookRefusal,
} from "../../runtime/webhooks/manage-webhooks.ts";
import { createPostWebhook } from "../../runtime/webhooks/post-webhook.ts";
import type { Store } from "../../store/store.ts";
import { type Handlers, invalidParams, type RequestMethod } from "../connections/handler.ts";
import { onlyOwn } from "../connections/own-threads.ts";

type WebhookMethod = Extract<RequestMethod, `webhook/${string}`>;

export interface WebhookHandlersOptions {
  readonly announcements: Pick<Announcements, "current" | "check">;
  readonly store: () => Promise<Pick<Store, "outbox">>;
  readonly env: Environment;
  readonly clock: Clock;
  readonly createId: () => string;
}

export function createWebhookHandlers(options: WebhookHandlersOptions): Handlers<WebhookMethod> {
  const { announcements, store, env, clock, createId } = options;
  const post = createPostWebhook({ env, clock });
  const outbox = async () => (await store()).outbox;
  return {
    async "webhook/list"(params, { connection }) {
      const list = orThrow(await listWebhooks(await outbox(), await announcements.current(), params));
      return { ...list, data: [...(await onlyOwn(connection.own, list.data, ({ threadId }) => threadId))] };
    },
    async "webhook/retry"(params) {
      const retried = orThrow(await retryWebhooks(await outbox(), await announcements.current(), params));
      announcements.check();
      return retried;
    },
    async "webhook/test"({ endpointId }) {
      const webhooks = await announcements.current();
      const results = orThrow(await testWebhooks(webhooks, { post, clock, createId, endpointId }));
      const { faults } = webhooks;
      return { results: [...results], ...(faults.length > 0 && { faults: [...faults] }) };
    },
  };
}

function orThrow<T>(outcome: T | WebhookRefusal): T {
  if (isRefusal(outcome)) throw invalidParams((outcome as WebhookRefusal).message);
  return outcome;
}
