import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTextSync } from "../../base/read-regular-file.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const MAX_BYTES = 1024;

/** The id of this home, created on first use and shared with every other server on it. */
export function readInstallationId(home: string): string {
  const file = join(home, "installation_id");
  return readId(file) ?? createId(file);
}

function readId(file: string): string | null {
  const text = readTextSync(file, MAX_BYTES)?.trim() ?? "";
  return UUID.test(text) ? text : null;
}

function createId(file: string): string {
  const id = process.getBuiltinModule("node:crypto").randomUUID();
  const whole = `${file}.${id}`;
  try {
    writeFileSync(whole, id, { mode: 0o644 });
    return putInPlace(whole, file) ? id : (readId(file) ?? id);
  } catch {
    // A read-only home has no persistent id.
    return id;
  } finally {
    rmSync(whole, { force: true });
  }
}

/**
 * If two servers start at once, one writes the id and the other reads it. A file without a valid id is
 * replaced.
 */
function putInPlace(whole: string, file: string): boolean {
  try {
    linkSync(whole, file);
    return true;
  } catch {
    if (readId(file) !== null) return false;
    renameSync(whole, file);
    return true;
  }
}
