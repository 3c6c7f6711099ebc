/** The turns of a thread as they stream. */
import { type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { openOf } from "../state/inbox.ts";
import type { OpenThread } from "../state/open-thread.ts";
import { place } from "../state/router.ts";
import { client } from "../state/server.ts";
import { rowsOf, type ThreadRowModel } from "../state/thread-rows.ts";
import { announce, notify } from "../ui/announce.tsx";
import { Icon } from "../ui/icon.tsx";
import { Empty, Failure, Loading } from "../ui/states.tsx";
import { type ListTarget, VirtualList } from "../ui/virtual-list.tsx";
import { FindBar } from "./find-bar.tsx";
import { linkedRow } from "./item-link.tsx";
import { RowView } from "./thread-row.tsx";
import { useFeedKeys } from "./use-feed-keys.ts";

export function Feed({ thread }: { thread: OpenThread }) {
  const { threadId, model, structure, isLoaded, failure, hasOlder } = thread;
  const missed = useSignal(0);
  const [target, setTarget] = useState<ListTarget | null>(null);
  const rows = useComputed(() => {
    void structure.value;
    for (const turn of model.turns) void thread.versionOf(turn.id).value;
    return rowsOf(model, openOf(threadId), hasOlder.value);
  });
  const isShown = isLoaded.value;
  useLinkedRow(thread, rows, setTarget);
  useFeedKeys(thread, rows, setTarget);
  useTurnAnnouncements(thread);
  const isLoadingOlder = useRef(false);
  function loadOlder(): void {
    if (isLoadingOlder.current || !hasOlder.peek()) return;
    isLoadingOlder.current = true;
    void thread.loadOlder().finally(() => {
      isLoadingOlder.current = false;
    });
  }
  const render = useMemo(
    () => (row: ThreadRowModel, index: number) => (
      <RowView row={row} index={index} total={rows.peek().length} thread={thread} />
    ),
    [thread],
  );
  if (!isShown)
    return (
      <div class="feed">
        <Loading rows={7} />
      </div>
    );
  return (
    <div class="feed">
      <FindBar thread={thread} onFound={(key) => setTarget({ key })} />
      {failure.value !== null && <Failure message={failure.value} />}
      {rows.value.length === 0 ? (
        failure.value === null && (
          <Empty icon="thread" title="Nothing has been said yet">
            <p>Describe a task below. The agent works in the folder of this thread.</p>
          </Empty>
        )
      ) : (
        <VirtualList
          rows={rows.value}
          label="Turns"
          render={render}
          onStart={loadOlder}
          target={target}
          onMissed={(count) => {
            missed.value = count;
          }}
        />
      )}
      {missed.value > 0 && (
        <button class="btn jump" type="button" onClick={() => setTarget({ key: null })}>
          <Icon name="down" />
          {missed.value} new
        </button>
      )}
    </div>
  );
}

/** Says that a turn has ended; what it writes is not read aloud. */
function useTurnAnnouncements({ threadId }: OpenThread): void {
  useEffect(
    () =>
      client.value?.on("turn/completed", ({ threadId: id, turn }) => {
        if (id === threadId) announce(`The turn has ended: ${turn.status}`);
      }),
    [threadId, client.value],
  );
}

/** Shows the row of the address, which may be on an older page. */
function useLinkedRow(
  thread: OpenThread,
  rows: ReadonlySignal<readonly ThreadRowModel[]>,
  show: (target: ListTarget) => void,
): void {
  const isShown = thread.isLoaded.value;
  useEffect(() => {
    const key = linkedRow();
    if (!isShown || key === null) return;
    let isLeft = false;
    void thread
      .loadUntil(() => isLeft || rows.peek().some((row) => row.key === key))
      .then((isThere) => {
        if (isLeft) return;
        if (isThere) show({ key, takesFocus: true });
        else notify("The item of this link is not in the thread any more.");
      });
    return () => {
      isLeft = true;
    };
  }, [place.value, isShown]);
}
