/** Whether an append was stored, of which only the answer was lost. */
import type { Statements } from "../connection/database.ts";
import type { ThreadAppend } from "./append-statement.ts";

const HEAD = "SELECT 1 FROM head WHERE thread_id = $1 AND epoch = $2 AND generation = $3 AND next_seq = $4";
const LINES = `
  SELECT body FROM line WHERE thread_id = $1 AND generation = $2 AND seq >= $3 AND seq < $4 ORDER BY seq`;

export async function isStored(
  { query }: Statements,
  { threadId, epoch, next, lines }: ThreadAppend,
): Promise<boolean> {
  const [first] = lines;
  // An append without lines moves nothing, so that sending it again has answered.
  if (first === undefined) return false;
  const found = await query(HEAD, threadId, epoch, next.generation, next.seq);
  if (found.length === 0) return false;
  const stored = await query<{ readonly body: string }>(
    LINES,
    threadId,
    next.generation,
    first.seq,
    next.seq,
  );
  return stored.length === lines.length && stored.every(({ body }, at) => body === lines[at]?.text);
}
