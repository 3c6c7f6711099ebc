/** The webhooks: whether they are reached, and what was not delivered. */
import type {
  WebhookDelivery,
  WebhookEndpointState,
  WebhookListResponse,
} from "../../protocol/generated/types.ts";
import { useLoaded } from "../state/loaded.ts";
import { pathOf } from "../state/router.ts";
import { now } from "../state/server.ts";
import { deliveriesOf, retryWebhook, testWebhook, webhookList } from "../state/webhooks.ts";
import { clockTime } from "../text/time.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Card, Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { Note } from "../ui/note.tsx";

const COLUMNS = [
  { name: "Address" },
  { name: "Told of" },
  { name: "State" },
  { name: "Waiting", isNumber: true },
  { name: "Last attempt" },
  { name: "Actions", isQuiet: true },
];

export function Webhooks() {
  useLoaded(webhookList);
  const found = webhookList.data.value;
  return (
    <Card title="Webhooks">
      <LoadedState loaded={webhookList} rows={2} />
      {found !== null && found.faults.length > 0 && (
        <div class="in stack tight">
          {found.faults.map((fault) => (
            <Note key={fault} tone="bad">
              {fault}
            </Note>
          ))}
        </div>
      )}
      {found?.endpoints.length === 0 && (
        <p class="in dim">
          No webhook is configured. One tells another program of questions and ended turns:{" "}
          <code>[[webhooks]]</code> in <code>config.toml</code>.
        </p>
      )}
      {found !== null && found.endpoints.length > 0 && (
        <Table label="Webhooks" columns={COLUMNS}>
          {found.endpoints.map((endpoint) => (
            <EndpointLine key={endpoint.id} {...{ endpoint, found }} />
          ))}
        </Table>
      )}
      {found !== null && <Abandoned deliveries={found.data} />}
    </Card>
  );
}

function EndpointLine({ endpoint, found }: { endpoint: WebhookEndpointState; found: WebhookListResponse }) {
  const { id: endpointId, url, events, off, dropped } = endpoint;
  const { waiting, abandoned, latest } = deliveriesOf(found, endpointId);
  return (
    <tr>
      <td data-label="Address">
        <span class="wraps" dir="ltr">
          {url}
        </span>
        <span class="sub mono" dir="ltr">
          {endpointId}
        </span>
      </td>
      <td data-label="Told of">
        <span class="wraps">{events.length === 0 ? "everything" : events.join(", ")}</span>
      </td>
      <td data-label="State">
        {off === null ? (
          <AttemptChip delivery={latest} />
        ) : (
          <>
            <Chip words="off" tone="bad" icon="off" />
            <span class="sub fg-bad wraps">{off.reason}</span>
          </>
        )}
        {dropped > 0 && <span class="sub fg-bad">{dropped} lost because too many waited</span>}
      </td>
      <td data-label="Waiting" class="num">
        {waiting}
      </td>
      <td data-label="Last attempt">
        {latest?.lastAttempt == null ? (
          <span class="dimmer">never</span>
        ) : (
          clockTime(latest.lastAttempt.at, now.value)
        )}
      </td>
      <td class="act">
        <div>
          {(off !== null || abandoned > 0 || waiting > 0) && (
            <ActButton
              method="webhook/retry"
              done="It is tried again"
              act={(client) => retryWebhook(client, { endpointId })}
            >
              Retry now
            </ActButton>
          )}
          <ActButton
            method="webhook/test"
            done="The test was delivered"
            act={(client) => testWebhook(client, endpointId)}
          >
            Send a test
          </ActButton>
        </div>
      </td>
    </tr>
  );
}

function AttemptChip({ delivery }: { delivery: WebhookDelivery | null }) {
  const attempt = delivery?.lastAttempt ?? null;
  if (delivery === null || attempt === null) return <span class="dimmer">nothing sent yet</span>;
  if (attempt.error === null) return <Chip words="delivered" tone="ok" icon="ok" />;
  const isOver = delivery.status === "abandoned";
  return (
    <>
      <Chip
        words={isOver ? "given up" : "tries again"}
        tone={isOver ? "bad" : "warn"}
        icon={isOver ? "x" : "clock"}
      />
      <span class="sub wraps">
        {attempt.status !== null && `${attempt.status} `}
        {attempt.error}
      </span>
    </>
  );
}

const DELIVERY_COLUMNS = [
  { name: "Not delivered" },
  { name: "Thread" },
  { name: "Because of" },
  { name: "Actions", isQuiet: true },
];

function Abandoned({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  const abandoned = deliveries.filter(({ status }) => status === "abandoned");
  if (abandoned.length === 0) return null;
  return (
    <Table label="Events that were not delivered" columns={DELIVERY_COLUMNS}>
      {abandoned.map(({ id: deliveryId, type, threadId, createdAt, attempts, lastAttempt }) => (
        <tr key={deliveryId}>
          <td data-label="Not delivered">
            <span class="mono" dir="ltr">
              {type}
            </span>
            <span class="sub">
              {clockTime(createdAt, now.value)}, {attempts} {attempts === 1 ? "attempt" : "attempts"}
            </span>
          </td>
          <td data-label="Thread">
            {threadId === null ? (
              <span class="dimmer">–</span>
            ) : (
              <a href={pathOf("threads", threadId)}>open</a>
            )}
          </td>
          <td data-label="Because of">
            <span class="wraps">{lastAttempt?.error ?? "–"}</span>
          </td>
          <td class="act">
            <div>
              <ActButton
                method="webhook/retry"
                done="It is tried again"
                act={(client) => retryWebhook(client, { deliveryId })}
              >
                Retry
              </ActButton>
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
}
