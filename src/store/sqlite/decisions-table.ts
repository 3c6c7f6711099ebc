/** The table of decisions, as a step of the schema. A number is never given twice, also when its entry is gone. */
export const decisionsTable = {
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
};
