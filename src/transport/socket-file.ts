/** Finds the file of a unix socket that somebody else has bound; Node does not tell. */
import { fstatSync, readFileSync } from "node:fs";

/** Where Linux lists the unix sockets of this network namespace. */
const TABLE = "/proc/self/net/unix";

/** Null where it has none, or where that cannot be seen. */
export function findSocketFile(fd: number, table = TABLE): string | null {
  try {
    return socketFileIn(readFileSync(table, "latin1"), fstatSync(fd).ino);
  } catch {
    return null;
  }
}

/**
 * Lines are `number: references protocol flags type state inode path`. A name may hold line breaks, so that a line may
 * be another process's invention: what stands there twice is not believed.
 */
export function socketFileIn(table: string, inode: number): string | null {
  const [line, ...others] = table
    .split("\n")
    .map((each) => /^[0-9a-f]+: (?:[0-9A-F]+ ){5} *(\d+)(?: (.*))?$/i.exec(each))
    .filter((each) => each?.[1] === String(inode));
  const path = others.length === 0 ? line?.[2] : undefined;
  return path?.startsWith("/") === true ? Buffer.from(path, "latin1").toString() : null;
}
