/** Deliveries to webhook endpoints in SQLite: claimed once, even with several processes. */
import type { Clock } from "../../../base/clock.ts";
import {
  type AttemptOutcome,
  CLAIM_MS,
  DELIVERY_TTL_MS,
  type DeliveryQuery,
  type DeliveryState,
  type EnqueueOutcome,
  MAX_DELIVERIES,
  type NewDelivery,
  type Outbox,
  type RetryTarget,
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
import type { Connection } from "./connection.ts";

const ADD = `
  INSERT INTO outbox (event_id, endpoint_id, type, thread_id, turn_id, body, state, owner, created_at_ms, due_at_ms,
    expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const KNOWN = `
  SELECT EXISTS (SELECT 1 FROM outbox WHERE endpoint_id = ? AND event_id = ?)
    OR EXISTS (SELECT 1 FROM outbox_endpoints WHERE endpoint_id = ? AND off_at_ms IS NOT NULL) AS known`;
const COUNT = "SELECT COUNT(*) AS count FROM outbox";
const EVICT = `
  DELETE FROM outbox WHERE number = (
    SELECT number FROM outbox WHERE finished_at_ms IS NOT NULL ORDER BY finished_at_ms, number LIMIT 1)
  RETURNING number`;
const DROP = `
  INSERT INTO outbox_endpoints (endpoint_id, dropped) VALUES (?, 1)
  ON CONFLICT DO UPDATE SET dropped = dropped + 1`;
const RELEASE_HELD =
  "UPDATE outbox SET state = 'pending', owner = NULL WHERE state = 'held' AND owner = ? AND turn_id = ?";
const DISCARD_HELD = "DELETE FROM outbox WHERE state = 'held' AND owner = ? AND turn_id = ?";
const HELD = `
  SELECT owner, thread_id, turn_id, MIN(created_at_ms) AS since FROM outbox WHERE state = 'held'
  GROUP BY owner, thread_id, turn_id LIMIT ?`;
/** The first open delivery of its thread to its endpoint, while no later one is attempted; or one without a thread. */
const IS_FIRST = `(one.thread_id IS NULL OR NOT EXISTS (
    SELECT 1 FROM outbox AS other WHERE other.endpoint_id = one.endpoint_id AND other.thread_id = one.thread_id
      AND other.finished_at_ms IS NULL AND (
        other.number < one.number
        OR (other.number > one.number AND other.state = 'claimed' AND other.due_at_ms > ?))))`;
const CLAIM = `
  UPDATE outbox SET state = 'claimed', owner = ?, attempts = attempts + 1, due_at_ms = ? WHERE number IN (
    SELECT number FROM outbox AS one
    WHERE endpoint_id = ? AND finished_at_ms IS NULL AND state <> 'held' AND due_at_ms <= ? AND ${IS_FIRST}
    ORDER BY due_at_ms, number LIMIT ?)
  RETURNING number, event_id, endpoint_id, type, thread_id, body, attempts`;
const CLAIMED = "number = ? AND state = 'claimed' AND owner = ? AND attempts = ?";
const RELEASE = `UPDATE outbox SET state = 'pending', owner = NULL, attempts = attempts - 1, due_at_ms = ? WHERE ${CLAIMED}
  RETURNING state`;
const DELIVERED = `UPDATE outbox SET state = 'delivered', owner = NULL, body = '', finished_at_ms = ?, result = ?
  WHERE ${CLAIMED} RETURNING state`;
const FAILED = `
  UPDATE outbox SET owner = NULL, result = ?, due_at_ms = ?,
    state = CASE WHEN ? > expires_at_ms THEN 'abandoned' ELSE 'pending' END,
    finished_at_ms = CASE WHEN ? > expires_at_ms THEN ? END
  WHERE ${CLAIMED} RETURNING state`;
const NEXT_DUE = `
  SELECT MIN(due_at_ms) AS due FROM outbox AS one
  WHERE endpoint_id = ? AND finished_at_ms IS NULL AND state <> 'held' AND ${IS_FIRST}`;
const RETRY = `
  UPDATE outbox SET state = 'pending', due_at_ms = ?, finished_at_ms = NULL, expires_at_ms = ?
  WHERE state IN ('pending', 'abandoned')`;
const SWITCH_OFF = `
  INSERT INTO outbox_endpoints (endpoint_id, off_reason, off_at_ms) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET off_reason = excluded.off_reason, off_at_ms = excluded.off_at_ms`;
const ABANDON = `
  UPDATE outbox SET state = 'abandoned', owner = NULL, finished_at_ms = ?
  WHERE endpoint_id = ? AND finished_at_ms IS NULL`;
const SWITCH_ON = `
  UPDATE outbox_endpoints SET off_reason = NULL, off_at_ms = NULL
  WHERE endpoint_id = ? AND off_at_ms IS NOT NULL RETURNING endpoint_id`;
const ENDPOINTS = "SELECT * FROM outbox_endpoints WHERE off_at_ms IS NOT NULL OR dropped > 0";
/** Without the index SQLite would read the bodies of finished deliveries. */
const OPEN = "outbox INDEXED BY outbox_due WHERE finished_at_ms IS NULL";
const TOTALS = `
  SELECT (SELECT COUNT(*) FROM ${OPEN}) AS pending,
    (SELECT COUNT(*) FROM outbox WHERE state = 'abandoned') AS abandoned,
    (SELECT created_at_ms FROM outbox WHERE number = (SELECT MIN(number) FROM ${OPEN})) AS oldest`;
const MAX_HELD_TURNS = 100;

/** Deliveries of a turn's end that wait until its line is in the journal. */
export interface HeldTurn {
  readonly owner: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly sinceMs: number;
}

export interface SqliteOutbox extends Outbox {
  /** Adds deliveries that cannot be claimed before `settle`. */
  hold(turnId: string, deliveries: readonly NewDelivery[]): Promise<EnqueueOutcome>;
  /** Lets the held deliveries of a turn be claimed, or deletes them. */
  settle(held: Pick<HeldTurn, "owner" | "turnId">, hasEnded: boolean): Promise<void>;
  held(): Promise<readonly HeldTurn[]>;
}

interface SqliteOutboxOptions {
  readonly owner: string;
  readonly clock: Pick<Clock, "now">;
  readonly maxDeliveries?: number | undefined;
}

export function createSqliteOutbox(
  { prepare, write }: Pick<Connection, "prepare" | "write">,
  { owner, clock, maxDeliveries = MAX_DELIVERIES }: SqliteOutboxOptions,
): SqliteOutbox {
  function add(delivery: NewDelivery, heldFor: string | null): "added" | "known" | "dropped" {
    const { eventId, endpointId, type, threadId, body } = delivery;
    const { known } = prepare(KNOWN).get(endpointId, eventId, endpointId) as { known: number };
    if (known === 1) return "known";
    const { count } = prepare(COUNT).get() as { count: number };
    if (count >= maxDeliveries && prepare(EVICT).all().length === 0) {
      prepare(DROP).run(endpointId);
      return "dropped";
    }
    const now = clock.now();
    const state = heldFor === null ? ["pending", null] : ["held", owner];
    const times = [now, now, now + DELIVERY_TTL_MS];
    prepare(ADD).run(eventId, endpointId, type, threadId, heldFor, body, ...state, ...times);
    return "added";
  }

  function addAll(deliveries: readonly NewDelivery[], heldFor: string | null): EnqueueOutcome {
    return write(() => {
      const outcomes = deliveries.map((delivery) => add(delivery, heldFor));
      const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
      return { added: count("added"), dropped: count("dropped") };
    });
  }

  return {
    enqueue: async (deliveries) => addAll(deliveries, null),
    hold: async (turnId, deliveries) => addAll(deliveries, turnId),
    async settle(held, hasEnded) {
      const sql = hasEnded ? RELEASE_HELD : DISCARD_HELD;
      write(() => prepare(sql).run(held.owner, held.turnId));
    },
    async held() {
      const rows = prepare(HELD).all(MAX_HELD_TURNS) as HeldRow[];
      return rows.map((row) => ({
        owner: row.owner,
        threadId: row.thread_id,
        turnId: row.turn_id,
        sinceMs: row.since,
      }));
    },
    async claim(endpointId, limit) {
      const now = clock.now();
      const claim = () =>
        prepare(CLAIM).all(owner, now + CLAIM_MS, endpointId, now, now, limit) as ClaimedRow[];
      const rows = write(claim);
      return rows.sort((one, other) => one.number - other.number).map(toClaimed);
    },
    async finish({ number, attempts }, outcome) {
      const row = write(() => finish(prepare, clock.now(), [number, owner, attempts], outcome));
      return row?.state ?? "lost";
    },
    async nextDueMs(endpointIds) {
      const now = clock.now();
      const found = endpointIds.map((id) => (prepare(NEXT_DUE).get(id, now) as { due: number | null }).due);
      const due = found.filter((each) => each !== null);
      return due.length === 0 ? null : Math.min(...due);
    },
    async list(query) {
      const { sql, values } = toList(query);
      return (prepare(sql).all(...values) as DeliveryRow[]).map(toDelivery);
    },
    ...createChanges({ prepare, write }, clock),
    endpoints: async () => (prepare(ENDPOINTS).all() as EndpointRow[]).map(toEndpoint),
    async totals() {
      const { pending, abandoned, oldest } = prepare(TOTALS).get() as TotalsRow;
      return { pending, abandoned, oldestAtMs: oldest };
    },
  };
}

function createChanges(
  { prepare, write }: Pick<Connection, "prepare" | "write">,
  clock: Pick<Clock, "now">,
): Pick<Outbox, "retry" | "switchOff" | "switchOn"> {
  return {
    async retry(target) {
      const now = clock.now();
      const [column, value] = columnOf(target);
      const sql = `${RETRY} AND ${column} = ? RETURNING number`;
      return write(() => prepare(sql).all(now, now + DELIVERY_TTL_MS, value)).length;
    },
    async switchOff(endpointId, reason) {
      const now = clock.now();
      write(() => {
        prepare(SWITCH_OFF).run(endpointId, reason, now);
        prepare(ABANDON).run(now, endpointId);
      });
    },
    switchOn: async (endpointId) => write(() => prepare(SWITCH_ON).all(endpointId)).length > 0,
  };
}

type Claim = readonly [number: number, owner: string, attempts: number];

function finish(
  prepare: Connection["prepare"],
  now: number,
  claim: Claim,
  outcome: AttemptOutcome,
): { readonly state: DeliveryState } | undefined {
  const state = (found: unknown) => found as { readonly state: DeliveryState } | undefined;
  if (outcome.kind === "released") return state(prepare(RELEASE).get(now, ...claim));
  const result = JSON.stringify(toResult(outcome.result, now));
  if (outcome.kind === "delivered") return state(prepare(DELIVERED).get(now, result, ...claim));
  const dueAtMs = now + outcome.retryAfterMs;
  return state(prepare(FAILED).get(result, dueAtMs, dueAtMs, dueAtMs, now, ...claim));
}

function columnOf(target: RetryTarget): readonly ["number", number] | readonly ["endpoint_id", string] {
  return "number" in target ? ["number", target.number] : ["endpoint_id", target.endpointId];
}

interface HeldRow {
  readonly owner: string;
  readonly thread_id: string;
  readonly turn_id: string;
  readonly since: number;
}

/** Only requested conditions are part of the query, so that each can use its index. Held deliveries are not shown. */
function toList({ endpointId, state, before, limit }: DeliveryQuery) {
  const wanted: readonly { readonly sql: string; readonly value: string | number | undefined }[] = [
    { sql: "endpoint_id = ?", value: endpointId },
    { sql: "state = ?", value: state },
    { sql: "number < ?", value: before },
  ];
  const conditions = wanted.filter(
    (each): each is { sql: string; value: string | number } => each.value !== undefined,
  );
  const where = ["state <> 'held'", ...conditions.map(({ sql }) => sql)].join(" AND ");
  return {
    sql: `SELECT * FROM outbox WHERE ${where} ORDER BY number DESC LIMIT ?`,
    values: [...conditions.map(({ value }) => value), limit],
  };
}
