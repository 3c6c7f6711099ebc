/** Files of the machine-wide configuration folder, which only an isolated run may touch: its /etc is private. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isIsolated, SYSTEM_FOLDER } from "./isolation.ts";

const PREFIX = "system/";

export function needsSystemFolder(files: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(files ?? {}).some((path) => path.startsWith(PREFIX));
}

/** Makes the folder hold exactly the `system/` files given. */
export async function placeSystemFiles(files: Readonly<Record<string, string>>): Promise<void> {
  if (!isIsolated() || !needsSystemFolder(files)) return;
  await clearSystemFiles();
  for (const [path, text] of Object.entries(files)) {
    if (!path.startsWith(PREFIX)) continue;
    const file = join(SYSTEM_FOLDER, path.slice(PREFIX.length));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

export async function clearSystemFiles(): Promise<void> {
  if (!isIsolated()) return;
  await rm(SYSTEM_FOLDER, { recursive: true, force: true });
  await mkdir(SYSTEM_FOLDER, { recursive: true });
}
