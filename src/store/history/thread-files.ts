// The first lines of files: that of an existing one, and what is known of one that does not exist yet.
import { AppError } from "../../base/errors.ts";
import type { RolloutRow } from "../history-index.ts";
import type { SessionMeta } from "../rollout/line.ts";
import { openRollout } from "../rollout/reader.ts";
import { noFacts } from "../rollout/thread-facts.ts";
import { foundAt } from "./indexer.ts";

export async function firstLine(path: string): Promise<SessionMeta | null> {
  const opened = await openRollout(path);
  if (opened.kind === "unreadable") return null;
  try {
    for await (const { line } of opened.reader.lines()) {
      return line.type === "session_meta" ? (line.payload as SessionMeta) : null;
    }
    return null;
  } finally {
    await opened.reader.close();
  }
}

export function newRow(home: string, path: string): RolloutRow {
  const name = foundAt(home, path)?.name;
  if (name === undefined) throw new AppError("history.name", `${path} is not named like a rollout`);
  return {
    rolloutId: name.rolloutId,
    threadId: name.threadId,
    path,
    archived: false,
    fileTime: name.time,
    size: 0,
    inode: 0,
    mtimeMs: 0,
    indexedBytes: 0,
    base: null,
    sourceKind: "unknown",
    createdOrderMs: 0,
    recencyAtMs: 0,
    facts: noFacts,
  };
}
