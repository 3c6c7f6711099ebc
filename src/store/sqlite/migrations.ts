/** A step of the schema. Steps are only ever added; each runs once, in order. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
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
];
