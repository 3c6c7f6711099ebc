/** The first migrations, in order. `migrations.ts` has the later ones. */
import type { Migration } from "./migrations.ts";

export const earlyMigrations: readonly Migration[] = [
  {
    name: "threads",
    sql: `
      CREATE TABLE threads (
        id TEXT PRIMARY KEY,
        created_at_ms INTEGER NOT NULL,
        updated_at_ms INTEGER NOT NULL,
        cwd TEXT NOT NULL,
        preview TEXT NOT NULL,
        model_provider TEXT NOT NULL,
        model TEXT NOT NULL,
        originator TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    // `shelf` is the state by which lists select: 0 active, 1 archived, 2 without a message yet, 3 superseded by a
    // newer file.
    name: "history",
    sql: `
      CREATE TABLE rollouts (
        rollout_id TEXT PRIMARY KEY,
        thread_id TEXT NOT NULL,
        path TEXT NOT NULL,
        archived INTEGER NOT NULL,
        shelf INTEGER NOT NULL DEFAULT 3,
        interactive INTEGER NOT NULL,
        file_time TEXT NOT NULL,
        size INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        mtime_ms REAL NOT NULL,
        indexed_bytes INTEGER NOT NULL,
        base_rollout_id TEXT,
        base_end_seq INTEGER,
        base_end_offset INTEGER,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        recency_at INTEGER NOT NULL,
        cwd TEXT NOT NULL,
        source_kind TEXT NOT NULL,
        model_provider TEXT NOT NULL,
        originator TEXT NOT NULL,
        parent_thread_id TEXT,
        preview TEXT NOT NULL,
        facts TEXT NOT NULL,
        state TEXT
      ) STRICT;
      CREATE INDEX rollouts_thread ON rollouts (thread_id);
      CREATE INDEX rollouts_path ON rollouts (path);
      CREATE INDEX rollouts_base ON rollouts (base_rollout_id) WHERE base_rollout_id IS NOT NULL;
      CREATE INDEX rollouts_parent ON rollouts (parent_thread_id) WHERE parent_thread_id IS NOT NULL;
      CREATE INDEX rollouts_created ON rollouts (shelf, interactive, created_at, thread_id);
      CREATE INDEX rollouts_updated ON rollouts (shelf, interactive, updated_at, thread_id);
      CREATE INDEX rollouts_recency ON rollouts (shelf, interactive, recency_at, thread_id);
      CREATE INDEX rollouts_all_created ON rollouts (shelf, created_at, thread_id);
      CREATE INDEX rollouts_all_updated ON rollouts (shelf, updated_at, thread_id);
      CREATE INDEX rollouts_all_recency ON rollouts (shelf, recency_at, thread_id);
      CREATE INDEX rollouts_cwd_created ON rollouts (cwd, shelf, created_at, thread_id);
      CREATE INDEX rollouts_cwd_updated ON rollouts (cwd, shelf, updated_at, thread_id);
      CREATE INDEX rollouts_cwd_recency ON rollouts (cwd, shelf, recency_at, thread_id);
      CREATE INDEX rollouts_provider_created ON rollouts (model_provider, shelf, created_at, thread_id);
      CREATE INDEX rollouts_provider_updated ON rollouts (model_provider, shelf, updated_at, thread_id);
      CREATE INDEX rollouts_provider_recency ON rollouts (model_provider, shelf, recency_at, thread_id);

      CREATE TABLE turns (
        rollout_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        turn_id TEXT NOT NULL,
        start_offset INTEGER NOT NULL,
        end_seq INTEGER,
        end_offset INTEGER,
        status TEXT NOT NULL,
        root_turn_id TEXT,
        started_at REAL,
        completed_at REAL,
        duration_ms REAL,
        error TEXT,
        hook_runs TEXT,
        first_user_item_id TEXT,
        final_agent_item_id TEXT,
        PRIMARY KEY (rollout_id, turn_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX turns_order ON turns (rollout_id, seq);

      CREATE TABLE items (
        rollout_id TEXT NOT NULL,
        turn_id TEXT NOT NULL,
        item_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        type TEXT NOT NULL,
        line_offset INTEGER NOT NULL,
        line_length INTEGER NOT NULL,
        started_at_ms REAL,
        completed_at_ms REAL,
        json TEXT,
        PRIMARY KEY (rollout_id, turn_id, item_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX items_order ON items (rollout_id, seq);
      CREATE INDEX items_of_turn ON items (rollout_id, turn_id, seq);

      CREATE TABLE thread_details (
        thread_id TEXT PRIMARY KEY,
        name TEXT,
        git_info TEXT,
        project_id TEXT,
        daybreak_enabled INTEGER,
        section_id TEXT,
        section_entered_at_ms INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX thread_details_section ON thread_details (section_id) WHERE section_id IS NOT NULL;
      CREATE INDEX thread_details_project ON thread_details (project_id) WHERE project_id IS NOT NULL;

      CREATE TABLE read_states (
        thread_id TEXT PRIMARY KEY,
        revision TEXT NOT NULL,
        first_unread TEXT
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE leases (
        thread_id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        expires_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX leases_owner ON leases (owner);

      CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    `,
  },
  {
    // Numbers are never reused, even if their entry is gone.
    name: "decisions",
    sql: `
    CREATE TABLE decisions (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      thread_id TEXT NOT NULL,
      turn_id TEXT NOT NULL,
      item_id TEXT NOT NULL,
      asked_at_ms INTEGER NOT NULL,
      subject TEXT NOT NULL,
      decided_at_ms INTEGER,
      outcome TEXT,
      decided_by TEXT,
      reason TEXT
    ) STRICT;
    CREATE INDEX decisions_thread ON decisions (thread_id, number);
    CREATE INDEX decisions_open ON decisions (thread_id) WHERE outcome IS NULL;
  `,
  },
  {
    // The section columns remain, unused, because an older server on the same home may read them.
    name: "nothing unused",
    sql: `
      DROP TABLE threads;
      DROP INDEX thread_details_section;
    `,
  },
  {
    // The epoch is raised by every acquisition. A row remains after its lease is released, so that the next epoch is
    // higher.
    name: "epochs of leases",
    sql: "ALTER TABLE leases ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;",
  },
  {
    // `queue_changes` lists changed queues for processes that poll it.
    name: "queue",
    sql: `
      CREATE TABLE queue (
        number INTEGER PRIMARY KEY,
        thread_id TEXT NOT NULL,
        row_id TEXT NOT NULL,
        client_id TEXT,
        params TEXT NOT NULL,
        not_before_ms INTEGER,
        position INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'dispatching', 'failed')),
        turn_id TEXT,
        claim_owner TEXT,
        claim_epoch INTEGER,
        failure TEXT,
        created_at_ms INTEGER NOT NULL,
        updated_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX queue_row ON queue (thread_id, row_id);
      CREATE UNIQUE INDEX queue_client ON queue (thread_id, client_id) WHERE client_id IS NOT NULL;
      CREATE UNIQUE INDEX queue_claim ON queue (thread_id) WHERE state = 'dispatching';
      CREATE INDEX queue_order ON queue (thread_id, position, state);

      CREATE TABLE queue_pauses (thread_id TEXT PRIMARY KEY, reason TEXT NOT NULL) STRICT, WITHOUT ROWID;

      CREATE TABLE queue_changes (
        number INTEGER PRIMARY KEY,
        thread_id TEXT NOT NULL,
        owner TEXT NOT NULL
      ) STRICT;
    `,
  },
  {
    // Params may be large: in a separate table, they are neither read nor written if only order or state changes.
    name: "queue params",
    sql: `
      CREATE TABLE queue_rows (
        number INTEGER PRIMARY KEY,
        thread_id TEXT NOT NULL,
        row_id TEXT NOT NULL,
        client_id TEXT,
        bytes INTEGER NOT NULL,
        not_before_ms INTEGER,
        position INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'dispatching', 'failed')),
        turn_id TEXT,
        claim_owner TEXT,
        claim_epoch INTEGER,
        failure TEXT,
        created_at_ms INTEGER NOT NULL,
        updated_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE queue_params (number INTEGER PRIMARY KEY, params TEXT NOT NULL) STRICT;
      INSERT INTO queue_rows
        SELECT number, thread_id, row_id, client_id, octet_length(params) + COALESCE(octet_length(client_id), 0),
          not_before_ms, position, state, turn_id, claim_owner, claim_epoch, failure, created_at_ms, updated_at_ms
        FROM queue;
      INSERT INTO queue_params SELECT number, params FROM queue;
      DROP TABLE queue;
      CREATE UNIQUE INDEX queue_row ON queue_rows (thread_id, row_id);
      CREATE UNIQUE INDEX queue_client ON queue_rows (thread_id, client_id) WHERE client_id IS NOT NULL;
      CREATE UNIQUE INDEX queue_claim ON queue_rows (thread_id) WHERE state = 'dispatching';
      CREATE INDEX queue_order ON queue_rows (thread_id, position, state, bytes);
      CREATE TRIGGER queue_row_gone AFTER DELETE ON queue_rows BEGIN
        DELETE FROM queue_params WHERE number = OLD.number;
      END;
      CREATE INDEX queue_changes_thread ON queue_changes (thread_id);
    `,
  },
  {
    // A key is reserved until it expires; a key without expiry has a receipt.
    name: "receipts",
    sql: `
      CREATE TABLE receipts (
        number INTEGER PRIMARY KEY,
        receipt_id TEXT NOT NULL UNIQUE,
        run_id TEXT,
        sequence INTEGER,
        client_id TEXT NOT NULL,
        body TEXT NOT NULL,
        result TEXT
      ) STRICT;
      CREATE INDEX receipts_run ON receipts (run_id, sequence) WHERE run_id IS NOT NULL;
      CREATE INDEX receipts_client ON receipts (client_id, number);

      CREATE TABLE receipt_keys (
        client_id TEXT NOT NULL,
        adapter_id TEXT NOT NULL,
        idempotency_key TEXT NOT NULL,
        fingerprint TEXT,
        receipt_id TEXT NOT NULL,
        expires_at_ms INTEGER,
        PRIMARY KEY (client_id, adapter_id, idempotency_key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX receipt_keys_receipt ON receipt_keys (receipt_id);
      CREATE INDEX receipt_keys_open ON receipt_keys (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

      CREATE TABLE receipt_runs (
        run_id TEXT PRIMARY KEY,
        given INTEGER NOT NULL,
        dropped INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE continuations (
        number INTEGER PRIMARY KEY,
        frame TEXT NOT NULL UNIQUE,
        count INTEGER NOT NULL
      ) STRICT;
    `,
  },
];
