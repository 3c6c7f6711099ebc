/**
 * Brings the schema of a database up to date. A lock of the transaction makes processes that start at once do it one
 * after the other. Servers of two versions may share a database: a migration that the earlier version can live with
 * keeps its `minWriter`.
 */
import { AppError } from "../../../base/errors.ts";
import type { PostgresDatabase } from "../connection/database.ts";
import { postgresMigrations } from "./migrations.ts";

export interface PostgresMigration {
  readonly name: string;
  readonly sql: string;
  /** The number of migrations that a server must know to write to the database after this one. */
  readonly minWriter: number;
}

const LOCK = "SELECT pg_advisory_xact_lock(7381472094)";
const HAS_META = "SELECT to_regclass('meta') IS NOT NULL AS found";
const META = "SELECT schema_version AS version, min_writer AS writer FROM meta";
const CREATE = "CREATE TABLE meta (schema_version integer NOT NULL, min_writer integer NOT NULL)";
const START = "INSERT INTO meta (schema_version, min_writer) VALUES (0, 0)";
const SET = "UPDATE meta SET schema_version = $1, min_writer = $2";

export async function migratePostgres(
  database: PostgresDatabase,
  steps: readonly PostgresMigration[] = postgresMigrations,
): Promise<void> {
  if ((await versionOf(database, steps)) >= steps.length) return;
  await database.transaction(async (statements) => {
    await statements.query(LOCK);
    if (!(await hasMeta(statements))) {
      await statements.query(CREATE);
      await statements.query(START);
    }
    const version = await versionOf(statements, steps);
    for (const { sql } of steps.slice(version))
      for (const statement of sql.split(/;\s*$/m))
        if (statement.trim() !== "") await statements.query(statement);
    if (version < steps.length) await statements.query(SET, steps.length, steps.at(-1)?.minWriter ?? 0);
  });
}

async function hasMeta({ query }: Pick<PostgresDatabase, "query">): Promise<boolean> {
  return (await query<{ readonly found: boolean }>(HAS_META))[0]?.found === true;
}

/** Throws where the database needs a newer server. */
async function versionOf(
  statements: Pick<PostgresDatabase, "query">,
  steps: readonly PostgresMigration[],
): Promise<number> {
  if (!(await hasMeta(statements))) return 0;
  const [row] = await statements.query<{ readonly version: number; readonly writer: number }>(META);
  const { version = 0, writer = 0 } = row ?? {};
  if (writer <= steps.length) return version;
  throw new AppError(
    "store.schema",
    `the database has schema ${version}, which needs a Heddle that knows schema ${writer}, and this one knows ${steps.length}: upgrade it`,
  );
}
