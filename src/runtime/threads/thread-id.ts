import { refusal } from "../../base/refusal.ts";
import type { ThreadRefusal, ThreadRefusalReason } from "../configuration/thread-refusal.ts";

const GROUPS = [8, 4, 4, 4, 12] as const;

/** The id in canonical form. The refusal of an invalid id has the peer's wording, with this noun. */
export function parseThreadId(
  text: string,
  noun = "thread id",
  reason: ThreadRefusalReason = "invalidRequest",
): string | ThreadRefusal {
  const bare = text.replace(/^urn:uuid:/i, "").replace(/^\{(.*-.*)\}$/, "$1");
  if (/^[0-9a-f]{32}$/i.test(bare)) {
    return bare.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }
  const problem = describeProblem(bare);
  return problem === null ? bare.toLowerCase() : refusal(reason, `invalid ${noun}: ${problem}`);
}

function describeProblem(text: string): string | null {
  const strange = /[^0-9a-f{}-]/iu.exec(text);
  if (strange !== null) {
    return `invalid character: expected an optional prefix of \`urn:uuid:\` followed by [0-9a-fA-F-], found \`${strange[0]}\` at ${strange.index + 1}`;
  }
  const groups = text.split("-");
  if (groups.length === 1 && !text.startsWith("{")) {
    return `invalid length: expected length 32 for simple format, found ${text.length}`;
  }
  if (groups.length !== GROUPS.length)
    return `invalid group count: expected ${GROUPS.length}, found ${groups.length}`;
  const at = groups.findIndex((group, index) => group.length !== GROUPS[index]);
  if (at === -1) return null;
  return `invalid group length in group ${at}: expected ${GROUPS[at]}, found ${groups[at]?.length}`;
}
