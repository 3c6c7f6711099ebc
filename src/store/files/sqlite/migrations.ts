import { earlyMigrations } from "./early-migrations.ts";

/** A schema migration. Migrations are only ever appended; each runs once, in order. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  ...earlyMigrations,
  {
    name: "memory modes",
    sql: "ALTER TABLE thread_details ADD COLUMN memory_mode TEXT;",
  },
  {
    // Every change of a queue inserts into `queue_changes`, whose trigger updates when the queue is due: 0 for now, and
    // no row if only a user can unblock it.
    name: "started and due turns of queues",
    sql: `
      CREATE TABLE queue_started (
        number INTEGER PRIMARY KEY,
        thread_id TEXT NOT NULL,
        row_id TEXT NOT NULL,
        client_id TEXT,
        turn_id TEXT NOT NULL,
        preview TEXT NOT NULL,
        started_at_ms INTEGER NOT NULL,
        how TEXT,
        ended_at_ms INTEGER,
        duration_ms INTEGER,
        tokens INTEGER,
        error TEXT
      ) STRICT;
      CREATE INDEX queue_started_client ON queue_started (thread_id, client_id) WHERE client_id IS NOT NULL;
      CREATE INDEX queue_started_turn ON queue_started (thread_id, turn_id);

      CREATE TABLE queue_due (thread_id TEXT PRIMARY KEY, due_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE INDEX queue_due_time ON queue_due (due_at_ms, thread_id);
      CREATE TRIGGER queue_changed AFTER INSERT ON queue_changes BEGIN
        DELETE FROM queue_due WHERE thread_id = NEW.thread_id;
        INSERT INTO queue_due (thread_id, due_at_ms)
          SELECT thread_id, CASE state WHEN 'dispatching' THEN 0 ELSE COALESCE(not_before_ms, 0) END
          FROM (
            SELECT thread_id, state, not_before_ms FROM queue_rows WHERE thread_id = NEW.thread_id
            ORDER BY state = 'dispatching' DESC, position LIMIT 1)
          WHERE state = 'dispatching' OR (
            state = 'pending' AND NOT EXISTS (SELECT 1 FROM queue_pauses WHERE thread_id = NEW.thread_id));
      END;
      INSERT INTO queue_changes (thread_id, owner) SELECT DISTINCT thread_id, '' FROM queue_rows;

      CREATE TABLE queue_paused_after (thread_id TEXT PRIMARY KEY, turn_id TEXT NOT NULL) STRICT, WITHOUT ROWID;

      CREATE TABLE queue_attendants (owner TEXT PRIMARY KEY, seen_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    `,
  },
  {
    // A verdict as JSON, from any process; the holder of the thread closes the decision with it.
    name: "answers of decisions",
    sql: "ALTER TABLE decisions ADD COLUMN answer TEXT;",
  },
  {
    // `thread_id` of a schedule is null if each run gets a new thread, and `next_at_ms` unless the schedule is active.
    // A run is open as long as it has its work.
    name: "schedules and tokens that wake threads",
    sql: `
      CREATE TABLE schedules (
        number INTEGER PRIMARY KEY,
        schedule_id TEXT NOT NULL UNIQUE,
        thread_id TEXT,
        plan TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'disabled', 'finished')),
        reason TEXT,
        next_at_ms INTEGER,
        revision INTEGER NOT NULL,
        created_at_ms INTEGER NOT NULL,
        updated_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX schedules_next ON schedules (next_at_ms) WHERE next_at_ms IS NOT NULL;
      CREATE INDEX schedules_thread ON schedules (thread_id) WHERE thread_id IS NOT NULL;

      CREATE TABLE schedule_runs (
        number INTEGER PRIMARY KEY,
        run_key TEXT NOT NULL UNIQUE,
        schedule_id TEXT NOT NULL,
        scheduled_at_ms INTEGER NOT NULL,
        thread_id TEXT NOT NULL,
        claimed_at_ms INTEGER NOT NULL,
        work TEXT,
        outcome TEXT
      ) STRICT;
      CREATE INDEX schedule_runs_schedule ON schedule_runs (schedule_id, number);
      CREATE INDEX schedule_runs_open ON schedule_runs (number) WHERE work IS NOT NULL;

      CREATE TABLE wake_tokens (
        number INTEGER PRIMARY KEY,
        token_id TEXT NOT NULL UNIQUE,
        thread_id TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        name TEXT,
        created_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX wake_tokens_thread ON wake_tokens (thread_id, number);

      ALTER TABLE queue_rows ADD COLUMN source TEXT;
    `,
  },
  {
    // A held delivery becomes pending once the end of its turn is in the journal.
    name: "outbox",
    sql: `
      CREATE TABLE outbox (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        event_id TEXT NOT NULL,
        endpoint_id TEXT NOT NULL,
        type TEXT NOT NULL,
        thread_id TEXT,
        turn_id TEXT,
        body TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('held', 'pending', 'claimed', 'delivered', 'abandoned')),
        owner TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        created_at_ms INTEGER NOT NULL,
        due_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL,
        finished_at_ms INTEGER,
        result TEXT
      ) STRICT;
      CREATE UNIQUE INDEX outbox_event ON outbox (endpoint_id, event_id);
      CREATE INDEX outbox_due ON outbox (endpoint_id, due_at_ms) WHERE finished_at_ms IS NULL;
      CREATE INDEX outbox_order ON outbox (endpoint_id, thread_id, number) WHERE finished_at_ms IS NULL;
      CREATE INDEX outbox_finished ON outbox (finished_at_ms, number) WHERE finished_at_ms IS NOT NULL;
      CREATE INDEX outbox_abandoned ON outbox (number) WHERE state = 'abandoned';
      CREATE INDEX outbox_held ON outbox (owner, turn_id) WHERE state = 'held';

      CREATE TABLE outbox_endpoints (
        endpoint_id TEXT PRIMARY KEY,
        off_reason TEXT,
        off_at_ms INTEGER,
        dropped INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    // The server request of an open decision as JSON, with which another process asks it again.
    name: "questions of decisions",
    sql: `
      ALTER TABLE decisions ADD COLUMN question TEXT;
      CREATE INDEX decisions_open_number ON decisions (number) WHERE outcome IS NULL;
    `,
  },
  {
    // Turns that wait for the end of a usage limit; `turn` is what a later process continues one with, as JSON.
    name: "waits of turns",
    sql: `
      CREATE TABLE turn_waits (
        thread_id TEXT PRIMARY KEY,
        turn_id TEXT NOT NULL,
        reason TEXT NOT NULL,
        since_ms INTEGER NOT NULL,
        until_ms INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        message TEXT NOT NULL,
        turn TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX turn_waits_until ON turn_waits (until_ms, thread_id);
    `,
  },
  {
    name: "crashes of claims",
    sql: "ALTER TABLE queue_rows ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;",
  },
  {
    // The cause of a question, as JSON.
    name: "causes of questions",
    sql: "ALTER TABLE decisions ADD COLUMN cause TEXT;",
  },
  {
    // Devices that may call servers of this home, and codes with which devices are paired. Scopes are separated by spaces.
    name: "paired devices",
    sql: `
      CREATE TABLE devices (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        device_id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        subject TEXT,
        scopes TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        created_at_ms INTEGER NOT NULL,
        last_seen_at_ms INTEGER,
        expires_at_ms INTEGER,
        revoked_at_ms INTEGER
      ) STRICT;

      CREATE TABLE pair_codes (
        hash TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        subject TEXT,
        scopes TEXT NOT NULL,
        expires_at_ms INTEGER NOT NULL,
        lifetime_ms INTEGER
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    // Sums over all threads, and up to where each file was counted. They follow from the files, so that a database
    // that was lost counts them again.
    name: "activity",
    sql: `
      CREATE TABLE activity_positions (
        rollout_id TEXT PRIMARY KEY,
        mark TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        state TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE usage_slots (
        slot INTEGER NOT NULL,
        thread_id TEXT NOT NULL,
        cwd TEXT NOT NULL,
        model TEXT NOT NULL,
        turns INTEGER NOT NULL,
        input INTEGER NOT NULL,
        cached INTEGER NOT NULL,
        cache_write INTEGER NOT NULL,
        output INTEGER NOT NULL,
        reasoning INTEGER NOT NULL,
        total INTEGER NOT NULL,
        PRIMARY KEY (slot, thread_id, cwd, model)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE hook_runs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        thread_id TEXT NOT NULL,
        turn_id TEXT NOT NULL,
        event TEXT NOT NULL,
        source_path TEXT NOT NULL,
        display_order INTEGER NOT NULL,
        status TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        duration_ms INTEGER,
        run TEXT NOT NULL
      ) STRICT;
      CREATE INDEX hook_runs_start ON hook_runs (started_at, number);
    `,
  },
  {
    // Only lists of one person's threads use the owner, so that threads without one have no index entry.
    name: "owners of threads",
    sql: `
      ALTER TABLE rollouts ADD COLUMN owner TEXT;
      CREATE INDEX rollouts_owner_created ON rollouts (owner, shelf, created_at, thread_id) WHERE owner IS NOT NULL;
      CREATE INDEX rollouts_owner_updated ON rollouts (owner, shelf, updated_at, thread_id) WHERE owner IS NOT NULL;
      CREATE INDEX rollouts_owner_recency ON rollouts (owner, shelf, recency_at, thread_id) WHERE owner IS NOT NULL;
    `,
  },
  {
    name: "audit log",
    sql: `
      CREATE TABLE audit_entries (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        subject TEXT,
        client TEXT,
        method TEXT NOT NULL,
        thread_id TEXT,
        detail TEXT
      ) STRICT;
      CREATE INDEX audit_entries_thread ON audit_entries (thread_id, number) WHERE thread_id IS NOT NULL;
    `,
  },
];
