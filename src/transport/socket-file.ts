/** Finds the path of a unix socket that a service manager handed over, which Node does not expose. */
import { fstatSync, readFileSync } from "node:fs";

/** The unix sockets of this network namespace on Linux. */
const TABLE = "/proc/self/net/unix";

/** Null if the socket has no path or it cannot be determined. */
export function findSocketFile(fd: number, table = TABLE): string | null {
  try {
    return socketFileIn(readFileSync(table, "latin1"), fstatSync(fd).ino);
  } catch {
    return null;
  }
}

/**
 * Lines are `number: references protocol flags type state inode path`. A path may contain newlines, so another process can
 * forge lines: an inode that occurs twice is not trusted.
 */
export function socketFileIn(table: string, inode: number): string | null {
  const [line, ...others] = table
    .split("\n")
    .map((each) => /^[0-9a-f]+: (?:[0-9A-F]+ ){5} *(\d+)(?: (.*))?$/i.exec(each))
    .filter((each) => each?.[1] === String(inode));
  const path = others.length === 0 ? line?.[2] : undefined;
  return path?.startsWith("/") === true ? Buffer.from(path, "latin1").toString() : null;
}
