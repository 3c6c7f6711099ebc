/**
 * The lock that tells other programs on the same home, the peer among them, that a thread has its writer: flock(2)
 * on an empty file per thread. Node cannot call flock, so the program `flock` does, on a file that it inherits:
 * such a lock belongs to the open file, and stays when that program has ended. It goes with this process, however
 * that ends. The file itself stays behind: removing it could part two holders of the same name.
 */
import { spawn } from "node:child_process";
import { type FileHandle, mkdir, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";

export type LockOutcome =
  | { readonly kind: "held"; readonly release: () => Promise<void> }
  | { readonly kind: "taken"; readonly message: string }
  /** Nobody can be told here; the writer's own look at the file is what remains. */
  | { readonly kind: "unavailable"; readonly message: string };

export interface LockOptions {
  /** The program that locks the file it inherits as number 3; `flock` unless given. */
  readonly program?: string;
}

const ATTEMPTS = 3;

export async function acquireWriterLock(
  home: string,
  threadId: string,
  { program = "flock" }: LockOptions = {},
): Promise<LockOutcome> {
  const folder = join(home, "thread-writer-locks");
  const path = join(folder, `${threadId}.lock`);
  try {
    await mkdir(folder, { recursive: true });
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const file = await open(path, "a+");
      const status = await lockInherited(program, file.fd).catch(async (error: unknown) => {
        await file.close();
        throw error;
      });
      if (status === 0 && (await isStillThere(path, file))) {
        return { kind: "held", release: () => file.close() };
      }
      await file.close();
      if (status !== 0) return { kind: "taken", message: `thread ${threadId} already has an active writer` };
    }
    return { kind: "unavailable", message: `${path} is removed as often as it is made` };
  } catch (error) {
    return { kind: "unavailable", message: `cannot lock ${path}: ${messageOf(error)}` };
  }
}

/** Programs that clean up remove lock files that nobody holds, perhaps between our opening and our locking. */
async function isStillThere(path: string, file: FileHandle): Promise<boolean> {
  const own = await file.stat();
  const found = await stat(path).catch(() => null);
  return found !== null && found.ino === own.ino && found.dev === own.dev;
}

function lockInherited(program: string, fd: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // With no variable that could make it load something else.
    const env = { PATH: process.env["PATH"] };
    const child = spawn(program, ["-n", "3"], { env, stdio: ["ignore", "ignore", "ignore", fd] });
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
}
