/**
 * Whether a module's file still says what it said when it was loaded. It is looked at in the thread of the module, before
 * each call: there nobody else waits for a file system that does not answer.
 */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { osErrorText } from "../../base/errors.ts";
import { readRegularFileSync } from "../../base/read-regular-file.ts";
import { isStable, stampOf } from "../../config/file-cache.ts";

export interface ModuleFile {
  look(): FileState;
}

type FileState =
  | { readonly kind: "same" | "changed" }
  /** It cannot be read. */
  | { readonly kind: "refused"; readonly reason: string };

interface Sight {
  /** Null where the next change may leave the same one behind. */
  readonly stamp: string | null;
  readonly digest: string;
}

type Looked = Sight | { readonly reason: string };

const MAX_MODULE_BYTES = 16 << 20;

export function watchModuleFile(path: string, now: () => number = Date.now): ModuleFile {
  const first = lookAt(path, null, now);
  let last = first;
  return {
    look() {
      const seen = lookAt(path, last, now);
      if ("reason" in seen) return { kind: "refused", reason: seen.reason };
      if ("reason" in first || seen.digest !== first.digest) return { kind: "changed" };
      last = seen;
      return { kind: "same" };
    },
  };
}

function lookAt(path: string, last: Looked | null, now: () => number): Looked {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return { reason: `module ${path} does not exist` };
    const stamp = stampOf(stats);
    if (last !== null && "stamp" in last && last.stamp === stamp) return last;
    const read = readRegularFileSync(path, { maxBytes: MAX_MODULE_BYTES });
    if (read.kind === "refused") return { reason: `module ${path} cannot be read: ${read.message}` };
    const digest = createHash("sha256").update(read.bytes).digest("hex");
    return { stamp: isStable(stats, { now }) ? stamp : null, digest };
  } catch (error) {
    return { reason: `module ${path} cannot be read: ${osErrorText(error)}` };
  }
}
