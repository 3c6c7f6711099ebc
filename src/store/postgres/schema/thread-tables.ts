/**
 * Threads. The lines are the truth; threads, turns and items follow from them, and are written with them. The id of the
 * thread is first in every key, so that a database that is spread over machines can keep a thread in one place. Texts of
 * lines are not `jsonb`, which would change them.
 */
export const threadTables = `
CREATE TABLE node (
  node_id text COLLATE "C" PRIMARY KEY,
  info text NOT NULL,
  expires_at_ms bigint NOT NULL
);

CREATE TABLE head (
  thread_id text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C",
  epoch bigint NOT NULL,
  generation integer NOT NULL DEFAULT 0,
  next_seq bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE segment (
  thread_id text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  first_seq bigint NOT NULL,
  base_thread_id text COLLATE "C",
  base_generation integer,
  PRIMARY KEY (thread_id, generation)
);
CREATE INDEX segment_base ON segment (base_thread_id) WHERE base_thread_id IS NOT NULL;

CREATE TABLE line (
  thread_id text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  seq bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (thread_id, generation, seq)
);

CREATE TABLE thread (
  thread_id text COLLATE "C" PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  archived boolean NOT NULL DEFAULT false,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  recency_at bigint NOT NULL,
  cwd text NOT NULL,
  source_kind text NOT NULL,
  model_provider text NOT NULL,
  originator text NOT NULL,
  owner text,
  parent_thread_id text COLLATE "C",
  preview text NOT NULL,
  facts text NOT NULL,
  state text NOT NULL,
  activity text NOT NULL,
  name text,
  git_info text,
  project_id text,
  daybreak_enabled boolean,
  memory_mode text,
  read_revision text,
  first_unread text
) WITH (fillfactor = 70);
CREATE INDEX thread_created ON thread (tenant, archived, created_at, thread_id) WHERE preview <> '';
CREATE INDEX thread_updated ON thread (tenant, archived, updated_at, thread_id) WHERE preview <> '';
CREATE INDEX thread_recency ON thread (tenant, archived, recency_at, thread_id) WHERE preview <> '';
CREATE INDEX thread_owner ON thread (owner) WHERE owner IS NOT NULL;
CREATE INDEX thread_parent ON thread (parent_thread_id) WHERE parent_thread_id IS NOT NULL;
CREATE INDEX thread_project ON thread (project_id) WHERE project_id IS NOT NULL;

CREATE TABLE turn (
  thread_id text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  turn_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  end_seq bigint,
  status text,
  root_turn_id text,
  started_at double precision,
  completed_at double precision,
  duration_ms double precision,
  error text,
  hook_runs text,
  first_user_item_id text,
  final_agent_item_id text,
  PRIMARY KEY (thread_id, generation, turn_id)
);
CREATE INDEX turn_order ON turn (thread_id, generation, seq);

CREATE TABLE item (
  thread_id text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  turn_id text COLLATE "C" NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  line_seq bigint NOT NULL,
  type text NOT NULL,
  started_at_ms double precision,
  completed_at_ms double precision,
  json text,
  PRIMARY KEY (thread_id, generation, turn_id, item_id)
);
CREATE INDEX item_order ON item (thread_id, generation, seq);

CREATE TABLE usage_slot (
  thread_id text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  cwd text NOT NULL,
  model text NOT NULL,
  turns bigint NOT NULL,
  input bigint NOT NULL,
  cached bigint NOT NULL,
  cache_write bigint NOT NULL,
  output bigint NOT NULL,
  reasoning bigint NOT NULL,
  total bigint NOT NULL,
  PRIMARY KEY (thread_id, slot, cwd, model)
);
CREATE INDEX usage_slot_time ON usage_slot (slot);

CREATE TABLE hook_run (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  thread_id text COLLATE "C" NOT NULL,
  turn_id text NOT NULL,
  event text NOT NULL,
  source_path text NOT NULL,
  display_order bigint NOT NULL,
  status text NOT NULL,
  started_at bigint NOT NULL,
  duration_ms bigint,
  run text NOT NULL
);
CREATE INDEX hook_run_start ON hook_run (started_at, number);
`;
