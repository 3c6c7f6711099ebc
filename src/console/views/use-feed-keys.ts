/** The keys that move through the turns of a thread. */
import type { ReadonlySignal } from "@preact/signals";
import type { OpenThread } from "../state/open-thread.ts";
import type { ThreadRowModel } from "../state/thread-rows.ts";
import { notify } from "../ui/announce.tsx";
import { isOnControl, isWriting } from "../ui/keys.ts";
import { useKeys } from "../ui/use-keys.ts";
import type { ListTarget } from "../ui/virtual-list.tsx";
import { copyItemLink, linkedRow, rowOf } from "./item-link.tsx";
import { focusDetail } from "./use-list-keys.ts";

export function useFeedKeys(
  thread: OpenThread,
  rows: ReadonlySignal<readonly ThreadRowModel[]>,
  show: (target: ListTarget) => void,
): void {
  const showTurn = (row: ThreadRowModel | undefined): void => {
    if (row !== undefined) show({ key: row.key, takesFocus: true });
  };
  const indexOf = (key: string | null): number => rows.peek().findIndex((row) => row.key === key);
  const turnBefore = (at: number) => rows.peek().findLast((row, index) => row.kind === "turn" && index < at);

  async function showPrevious(): Promise<void> {
    const key = focusedRow() ?? firstVisibleRow();
    if (indexOf(key) < 0) return;
    await thread.loadUntil(() => turnBefore(indexOf(key)) !== undefined);
    showTurn(turnBefore(indexOf(key)));
  }

  useKeys({
    previousTurn: () => void showPrevious(),
    nextTurn() {
      const at = indexOf(focusedRow() ?? firstVisibleRow());
      showTurn(rows.peek().find((row, index) => row.kind === "turn" && index > at));
    },
    end(event) {
      if (isWriting(event.target)) return;
      event.preventDefault();
      show({ key: null });
    },
    copyLink() {
      const key = focusedRow() ?? linkedRow();
      if (key === null) notify("Click an item first, or go to a turn with [ and ].");
      else copyItemLink(thread.threadId, key);
    },
    open({ target }) {
      if (!isOnControl(target)) focusDetail();
    },
  });
}

/** The row with the focus, or with the text that is selected. */
const focusedRow = (): string | null =>
  rowOf(document.activeElement) ?? rowOf(getSelection()?.anchorNode?.parentElement ?? null);

function firstVisibleRow(): string | null {
  const list = document.querySelector(".feed .scroll");
  if (list === null) return null;
  const { top } = list.getBoundingClientRect();
  const articles = Array.from(list.querySelectorAll("article"));
  return rowOf(articles.find((article) => article.getBoundingClientRect().bottom > top) ?? null);
}
