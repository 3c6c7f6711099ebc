// Ends the process it is imported by, as `kill -9` does, right before it changes the disk for the nth time.
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";

const CHANGES = {
  sync: ["writeSync", "openSync", "unlinkSync", "rmSync", "renameSync", "utimesSync", "mkdirSync"],
  promises: ["open", "rename", "rm", "utimes", "link", "mkdir", "unlink", "copyFile"],
  handle: ["sync", "datasync", "write", "close"],
} as const;

type Call = (...args: unknown[]) => unknown;

/** Counts from 1, calls of these names only; 0 lets it live. */
export async function killAtCall(nth: number, names?: readonly string[]): Promise<void> {
  let left = nth;
  const count = (host: Record<string, Call>, name: string): void => {
    if (names?.includes(name) === false) return;
    const call = host[name] as Call;
    host[name] = function counted(this: unknown, ...args: unknown[]) {
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
      return call.apply(this, args);
    };
  };
  const probe = await promises.open(process.execPath, "r");
  const handle = Object.getPrototypeOf(probe) as Record<string, Call>;
  await probe.close();
  for (const name of CHANGES.handle) count(handle, name);
  for (const name of CHANGES.sync) count(fs as unknown as Record<string, Call>, name);
  for (const name of CHANGES.promises) count(promises as unknown as Record<string, Call>, name);
  syncBuiltinESMExports();
}
