import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const TABLE = "/proc/self/mountinfo";
/** The fifth column; white space in it is written as an octal number. */
const MOUNT_POINT = /^(?:\S+ ){4}(\S+)/gm;

/**
 * The mount that a path lies on, as far as its words tell: links are not looked at, since looking at them may take for
 * ever. Where the system does not say, all paths lie on one.
 */
export function mountOf(path: string): string {
  const absolute = resolve(path);
  let longest = "/";
  for (const [, escaped = "/"] of readTable().matchAll(MOUNT_POINT)) {
    const point = escaped.replaceAll(/\\([0-7]{3})/g, (_whole, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    );
    const isAround = absolute === point || absolute.startsWith(`${point}/`);
    if (isAround && point.length > longest.length) longest = point;
  }
  return longest;
}

function readTable(): string {
  try {
    return readFileSync(TABLE, "utf8");
  } catch {
    return "";
  }
}
