/** Queued turns. A row of `queue` is the lock of a thread's queue; `due_at_ms` is 0 for now, and null if only a user can unblock it. */
export const queueTables = `
CREATE TABLE queue (
  thread_id text COLLATE "C" PRIMARY KEY,
  pause text,
  paused_after text,
  due_at_ms bigint
);
CREATE INDEX queue_due ON queue (due_at_ms, thread_id) WHERE due_at_ms IS NOT NULL;

CREATE TABLE queue_row (
  thread_id text COLLATE "C" NOT NULL,
  row_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C",
  bytes bigint NOT NULL,
  not_before_ms bigint,
  position bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'dispatching', 'failed')),
  turn_id text,
  claim_epoch bigint,
  failure text,
  crashes integer NOT NULL DEFAULT 0,
  created_at_ms bigint NOT NULL,
  updated_at_ms bigint NOT NULL,
  source text,
  params text NOT NULL,
  PRIMARY KEY (thread_id, row_id)
);
CREATE INDEX queue_row_client ON queue_row (thread_id, md5(client_id)) WHERE client_id IS NOT NULL;
CREATE UNIQUE INDEX queue_row_claim ON queue_row (thread_id) WHERE state = 'dispatching';
CREATE INDEX queue_row_order ON queue_row (thread_id, position);

CREATE TABLE queue_started (
  thread_id text COLLATE "C" NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  row_id text NOT NULL,
  client_id text COLLATE "C",
  turn_id text COLLATE "C" NOT NULL,
  preview text NOT NULL,
  started_at_ms bigint NOT NULL,
  how text,
  ended_at_ms bigint,
  duration_ms bigint,
  tokens bigint,
  error text,
  PRIMARY KEY (thread_id, number)
);
CREATE INDEX queue_started_client ON queue_started (thread_id, md5(client_id)) WHERE client_id IS NOT NULL;
CREATE INDEX queue_started_turn ON queue_started (thread_id, turn_id);
CREATE INDEX queue_started_number ON queue_started (number);

CREATE TABLE queue_change (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  thread_id text COLLATE "C" NOT NULL,
  node_id text NOT NULL,
  at_ms bigint NOT NULL
);
CREATE INDEX queue_change_time ON queue_change (at_ms);
CREATE INDEX queue_change_thread ON queue_change (thread_id);

CREATE TABLE queue_attendant (
  node_id text PRIMARY KEY,
  seen_at_ms bigint NOT NULL
);

CREATE TABLE turn_wait (
  thread_id text COLLATE "C" PRIMARY KEY,
  turn_id text NOT NULL,
  reason text NOT NULL,
  since_ms bigint NOT NULL,
  until_ms bigint NOT NULL,
  attempt integer NOT NULL,
  message text NOT NULL,
  turn text NOT NULL
);
CREATE INDEX turn_wait_until ON turn_wait (until_ms, thread_id);
`;
