/** Deliveries to webhook endpoints in PostgreSQL: claimed once, even with several processes. */
import {
  type AttemptOutcome,
  CLAIM_MS,
  DELIVERY_TTL_MS,
  type DeliveryState,
  type EnqueueOutcome,
  MAX_DELIVERIES,
  type NewDelivery,
  type Outbox,
  toResult,
} from "../../outbox.ts";
import {
  type ClaimedRow,
  type DeliveryRow,
  type EndpointRow,
  type TotalsRow,
  toClaimed,
  toDelivery,
  toEndpoint,
} from "../../rows/outbox-rows.ts";
import { Conditions } from "../connection/conditions.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import { toTextArray } from "../connection/parameters.ts";
import { lockLimit } from "./lock-limit.ts";

const ADD = `
  INSERT INTO outbox (event_id, endpoint_id, type, thread_id, body, state, created_at_ms, due_at_ms, expires_at_ms)
  VALUES ($1, $2, $3, $4, $5, 'pending', $6, $6, $7)`;
const KNOWN = `
  SELECT EXISTS (SELECT 1 FROM outbox WHERE endpoint_id = $1 AND event_id = $2)
    OR EXISTS (SELECT 1 FROM outbox_endpoint WHERE endpoint_id = $1 AND off_at_ms IS NOT NULL) AS known`;
const COUNT = "SELECT count(*) AS count FROM outbox";
const EVICT = `
  DELETE FROM outbox WHERE number = (
    SELECT number FROM outbox WHERE finished_at_ms IS NOT NULL ORDER BY finished_at_ms, number LIMIT 1)
  RETURNING number`;
const DROP = `
  INSERT INTO outbox_endpoint (endpoint_id, dropped) VALUES ($1, 1)
  ON CONFLICT (endpoint_id) DO UPDATE SET dropped = outbox_endpoint.dropped + 1`;
/** The first open delivery of its thread to its endpoint, while no later one is attempted; or one without a thread. */
const isFirst = (now: string): string => `(one.thread_id IS NULL OR NOT EXISTS (
    SELECT 1 FROM outbox AS other WHERE other.endpoint_id = one.endpoint_id AND other.thread_id = one.thread_id
      AND other.finished_at_ms IS NULL AND (
        other.number < one.number
        OR (other.number > one.number AND other.state = 'claimed' AND other.due_at_ms > ${now}))))`;
const CLAIM = `
  UPDATE outbox SET state = 'claimed', owner = $1, attempts = attempts + 1, due_at_ms = $3::bigint + ${CLAIM_MS}
  WHERE number IN (
    SELECT number FROM outbox AS one
    WHERE endpoint_id = $2 AND finished_at_ms IS NULL AND due_at_ms <= $3::bigint AND ${isFirst("$3::bigint")}
    ORDER BY due_at_ms, number LIMIT $4)
  RETURNING number, event_id, endpoint_id, type, thread_id, body, attempts`;
const CLAIMED = "number = $1 AND state = 'claimed' AND owner = $2 AND attempts = $3";
const RELEASE = `
  UPDATE outbox SET state = 'pending', owner = NULL, attempts = attempts - 1, due_at_ms = $4 WHERE ${CLAIMED}
  RETURNING state`;
const DELIVERED = `
  UPDATE outbox SET state = 'delivered', owner = NULL, body = '', finished_at_ms = $4, result = $5 WHERE ${CLAIMED}
  RETURNING state`;
const FAILED = `
  UPDATE outbox SET owner = NULL, result = $5, due_at_ms = $6::bigint,
    state = CASE WHEN $6::bigint > expires_at_ms THEN 'abandoned' ELSE 'pending' END,
    finished_at_ms = CASE WHEN $6::bigint > expires_at_ms THEN $4::bigint END
  WHERE ${CLAIMED} RETURNING state`;
const NEXT_DUE = `
  SELECT min(due_at_ms) AS due FROM outbox AS one
  WHERE endpoint_id = ANY ($1::text[]) AND finished_at_ms IS NULL AND ${isFirst("$2::bigint")}`;
const RETRY = `
  UPDATE outbox SET state = 'pending', due_at_ms = $1, finished_at_ms = NULL, expires_at_ms = $2
  WHERE state IN ('pending', 'abandoned') AND (number = $3::bigint OR endpoint_id = $4::text) RETURNING number`;
const SWITCH_OFF = `
  INSERT INTO outbox_endpoint (endpoint_id, off_reason, off_at_ms) VALUES ($1, $2, $3)
  ON CONFLICT (endpoint_id) DO UPDATE SET off_reason = excluded.off_reason, off_at_ms = excluded.off_at_ms`;
const ABANDON = `
  UPDATE outbox SET state = 'abandoned', owner = NULL, finished_at_ms = $2
  WHERE endpoint_id = $1 AND finished_at_ms IS NULL`;
const SWITCH_ON = `
  UPDATE outbox_endpoint SET off_reason = NULL, off_at_ms = NULL
  WHERE endpoint_id = $1 AND off_at_ms IS NOT NULL RETURNING endpoint_id`;
const ENDPOINTS =
  "SELECT * FROM outbox_endpoint WHERE off_at_ms IS NOT NULL OR dropped > 0 ORDER BY endpoint_id";
const TOTALS = `
  SELECT count(*) FILTER (WHERE finished_at_ms IS NULL) AS pending,
    count(*) FILTER (WHERE state = 'abandoned') AS abandoned,
    min(created_at_ms) FILTER (WHERE finished_at_ms IS NULL) AS oldest
  FROM outbox`;

export interface PostgresOutbox extends Outbox {
  /** `enqueue` within a transaction of the caller. */
  enqueueWithin(statements: Statements, deliveries: readonly NewDelivery[]): Promise<EnqueueOutcome>;
}

export interface PostgresOutboxOptions {
  readonly database: PostgresDatabase;
  readonly nodeId: string;
  readonly maxDeliveries?: number | undefined;
}

export function createPostgresOutbox(options: PostgresOutboxOptions): PostgresOutbox {
  const { database, nodeId } = options;
  const { query, transaction, time } = database;
  const enqueueWithin = createEnqueue(options);
  return {
    enqueueWithin,
    enqueue: (deliveries) => transaction((statements) => enqueueWithin(statements, deliveries)),
    claim: (endpointId, limit) =>
      transaction(async (statements) => {
        // Two claims at once would each see the first delivery of a thread as open.
        await lockLimit(statements, "outbox");
        const rows = await statements.query<ClaimedRow>(CLAIM, nodeId, endpointId, time.now(), limit);
        return [...rows].sort((one, other) => one.number - other.number).map(toClaimed);
      }),
    finish: ({ number, attempts }, outcome) =>
      transaction(async (statements) => {
        const [sql, ...values] = changeOf(outcome, time.now());
        const [row] = await statements.query<StateRow>(sql, number, nodeId, attempts, ...values);
        return row?.state ?? "lost";
      }),
    async nextDueMs(endpointIds) {
      const [row] = await query<{ readonly due: number | null }>(
        NEXT_DUE,
        toTextArray(endpointIds),
        time.now(),
      );
      return row?.due ?? null;
    },
    async list({ endpointId, state, before, limit }) {
      const where = new Conditions();
      where.parts.push("true");
      if (endpointId !== undefined) where.add((at) => `endpoint_id = ${at}`, endpointId);
      if (state !== undefined) where.add((at) => `state = ${at}`, state);
      if (before !== undefined) where.add((at) => `number < ${at}`, before);
      const conditions = where.parts.join(" AND ");
      const text = `SELECT * FROM outbox WHERE ${conditions} ORDER BY number DESC LIMIT ${where.value(limit)}`;
      return (await query<DeliveryRow>(text, ...where.values)).map(toDelivery);
    },
    ...createChanges(database),
    endpoints: async () => (await query<EndpointRow>(ENDPOINTS)).map(toEndpoint),
    async totals() {
      const [totals] = await query<TotalsRow>(TOTALS);
      const { pending = 0, abandoned = 0, oldest = null } = totals ?? {};
      return { pending, abandoned, oldestAtMs: oldest };
    },
  };
}

interface StateRow {
  readonly state: DeliveryState;
}

function createEnqueue({
  database: { time },
  maxDeliveries = MAX_DELIVERIES,
}: PostgresOutboxOptions): PostgresOutbox["enqueueWithin"] {
  async function add({ query }: Statements, delivery: NewDelivery): Promise<"added" | "known" | "dropped"> {
    const { eventId, endpointId, type, threadId, body } = delivery;
    const [found] = await query<{ readonly known: boolean }>(KNOWN, endpointId, eventId);
    if (found?.known === true) return "known";
    const [taken] = await query<{ readonly count: number }>(COUNT);
    if ((taken?.count ?? 0) >= maxDeliveries && (await query(EVICT)).length === 0) {
      await query(DROP, endpointId);
      return "dropped";
    }
    const now = time.now();
    await query(ADD, eventId, endpointId, type, threadId, body, now, now + DELIVERY_TTL_MS);
    return "added";
  }

  return async (statements, deliveries) => {
    if (deliveries.length === 0) return { added: 0, dropped: 0 };
    await lockLimit(statements, "outbox");
    const outcomes: string[] = [];
    for (const delivery of deliveries) outcomes.push(await add(statements, delivery));
    const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
    return { added: count("added"), dropped: count("dropped") };
  };
}

function createChanges({
  transaction,
  time,
}: PostgresDatabase): Pick<Outbox, "retry" | "switchOff" | "switchOn"> {
  return {
    retry: (target) =>
      transaction(async ({ query }) => {
        const now = time.now();
        const [number, endpointId] = "number" in target ? [target.number, null] : [null, target.endpointId];
        return (await query(RETRY, now, now + DELIVERY_TTL_MS, number, endpointId)).length;
      }),
    switchOff: (endpointId, reason) =>
      transaction(async (statements) => {
        const now = time.now();
        await lockLimit(statements, "outbox");
        await statements.query(SWITCH_OFF, endpointId, reason, now);
        await statements.query(ABANDON, endpointId, now);
      }),
    switchOn: (endpointId) =>
      transaction(async ({ query }) => (await query(SWITCH_ON, endpointId)).length > 0),
  };
}

function changeOf(
  outcome: AttemptOutcome,
  now: number,
): readonly [sql: string, ...values: (string | number)[]] {
  if (outcome.kind === "released") return [RELEASE, now];
  const result = JSON.stringify(toResult(outcome.result, now));
  return outcome.kind === "delivered"
    ? [DELIVERED, now, result]
    : [FAILED, now, result, now + outcome.retryAfterMs];
}
