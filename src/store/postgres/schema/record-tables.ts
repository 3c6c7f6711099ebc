/** Decisions, schedules, deliveries, devices, receipts and the audit log. `limit_lock` has a row to lock for each limit. */
export const recordTables = `
CREATE TABLE decision (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  thread_id text COLLATE "C" NOT NULL,
  turn_id text NOT NULL,
  item_id text NOT NULL,
  asked_at_ms bigint NOT NULL,
  subject text NOT NULL,
  cause text,
  question text,
  answer text,
  decided_at_ms bigint,
  outcome text,
  decided_by text,
  reason text
);
CREATE INDEX decision_thread ON decision (thread_id, number);
CREATE INDEX decision_open ON decision (number) WHERE outcome IS NULL;

CREATE TABLE limit_lock (name text PRIMARY KEY);
INSERT INTO limit_lock (name) VALUES
  ('schedules'), ('wakeTokens'), ('devices'), ('pairCodes'), ('outbox'), ('receipts');

CREATE TABLE schedule (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  schedule_id text NOT NULL UNIQUE,
  thread_id text COLLATE "C",
  plan text NOT NULL,
  state text NOT NULL CHECK (state IN ('active', 'paused', 'disabled', 'finished')),
  reason text,
  next_at_ms bigint,
  revision bigint NOT NULL,
  created_at_ms bigint NOT NULL,
  updated_at_ms bigint NOT NULL
);
CREATE INDEX schedule_next ON schedule (next_at_ms) WHERE next_at_ms IS NOT NULL;
CREATE INDEX schedule_thread ON schedule (thread_id) WHERE thread_id IS NOT NULL;

CREATE TABLE schedule_run (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_key text NOT NULL UNIQUE,
  schedule_id text NOT NULL,
  scheduled_at_ms bigint NOT NULL,
  thread_id text COLLATE "C" NOT NULL,
  claimed_at_ms bigint NOT NULL,
  work text,
  outcome text
);
CREATE INDEX schedule_run_schedule ON schedule_run (schedule_id, number);
CREATE INDEX schedule_run_open ON schedule_run (number) WHERE work IS NOT NULL;

CREATE TABLE wake_token (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token_id text NOT NULL UNIQUE,
  thread_id text COLLATE "C" NOT NULL,
  hash text NOT NULL UNIQUE,
  name text,
  created_at_ms bigint NOT NULL
);
CREATE INDEX wake_token_thread ON wake_token (thread_id, number);

CREATE TABLE device (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id text NOT NULL UNIQUE,
  name text NOT NULL,
  subject text,
  scopes text NOT NULL,
  hash text NOT NULL UNIQUE,
  created_at_ms bigint NOT NULL,
  last_seen_at_ms bigint,
  expires_at_ms bigint,
  revoked_at_ms bigint
);

CREATE TABLE pair_code (
  hash text PRIMARY KEY,
  name text NOT NULL,
  subject text,
  scopes text NOT NULL,
  expires_at_ms bigint NOT NULL,
  lifetime_ms bigint
);

CREATE TABLE outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  thread_id text COLLATE "C",
  body text NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'claimed', 'delivered', 'abandoned')),
  owner text,
  attempts integer NOT NULL DEFAULT 0,
  created_at_ms bigint NOT NULL,
  due_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  finished_at_ms bigint,
  result text
);
CREATE UNIQUE INDEX outbox_event ON outbox (endpoint_id, event_id);
CREATE INDEX outbox_due ON outbox (endpoint_id, due_at_ms) WHERE finished_at_ms IS NULL;
CREATE INDEX outbox_order ON outbox (endpoint_id, thread_id, number) WHERE finished_at_ms IS NULL;
CREATE INDEX outbox_finished ON outbox (finished_at_ms, number) WHERE finished_at_ms IS NOT NULL;

CREATE TABLE outbox_endpoint (
  endpoint_id text COLLATE "C" PRIMARY KEY,
  off_reason text,
  off_at_ms bigint,
  dropped bigint NOT NULL DEFAULT 0
);

CREATE TABLE receipt (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  receipt_id text NOT NULL UNIQUE,
  run_id text,
  sequence bigint,
  client_id text NOT NULL,
  body text NOT NULL,
  result text
);
CREATE INDEX receipt_run_order ON receipt (run_id, sequence) WHERE run_id IS NOT NULL;
CREATE INDEX receipt_client ON receipt (client_id, number);

CREATE TABLE receipt_key (
  client_id text NOT NULL,
  adapter_id text NOT NULL,
  idempotency_key text NOT NULL,
  fingerprint text,
  receipt_id text NOT NULL,
  expires_at_ms bigint,
  PRIMARY KEY (client_id, adapter_id, idempotency_key)
);
CREATE INDEX receipt_key_receipt ON receipt_key (receipt_id);
CREATE INDEX receipt_key_open ON receipt_key (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

CREATE TABLE receipt_run (
  run_id text PRIMARY KEY,
  given bigint NOT NULL,
  dropped bigint NOT NULL DEFAULT 0
);

CREATE TABLE audit_entry (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at_ms bigint NOT NULL,
  subject text,
  client text,
  method text NOT NULL,
  thread_id text COLLATE "C",
  detail text
);
CREATE INDEX audit_entry_thread ON audit_entry (thread_id, number) WHERE thread_id IS NOT NULL;
`;
