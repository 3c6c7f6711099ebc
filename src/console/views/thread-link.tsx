/** A thread by its title, or one of its items. */
import { pathOf } from "../state/router.ts";
import { findThreadRow, titleOfThread } from "../state/threads.ts";
import { pathOfItem } from "./item-link.tsx";

export function ThreadLink({ threadId, item = null }: { threadId: string; item?: string | null }) {
  const row = findThreadRow(threadId);
  return (
    <a href={item === null ? pathOf("threads", threadId) : pathOfItem(threadId, item)}>
      <bdi class="lines3">{row === undefined ? "a thread" : titleOfThread(row)}</bdi>
    </a>
  );
}
