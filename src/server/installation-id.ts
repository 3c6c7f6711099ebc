import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of this home, made on first use and shared with every other server on it. */
export function readInstallationId(home: string): string {
  const file = join(home, "installation_id");
  return readId(file) ?? createId(file);
}

function readId(file: string): string | null {
  try {
    const text = readFileSync(file, "utf8").trim();
    return UUID.test(text) ? text : null;
  } catch {
    return null;
  }
}

function createId(file: string): string {
  const id = process.getBuiltinModule("node:crypto").randomUUID();
  try {
    // Exclusive, so that of two servers that start together one writes and the other reads.
    writeFileSync(file, id, { flag: "wx", mode: 0o644 });
    return id;
  } catch {
    return readId(file) ?? id;
  }
}
