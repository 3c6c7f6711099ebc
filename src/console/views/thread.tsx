/** One thread: its turns as they stream, the facts beside it, and the composer. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { openOf } from "../state/inbox.ts";
import { OpenThread } from "../state/open-thread.ts";
import { missingScope } from "../state/rights.ts";
import { pathOf, place } from "../state/router.ts";
import { client, now } from "../state/server.ts";
import { rowsOf, type ThreadRowModel } from "../state/thread-rows.ts";
import { findThreadRow, markRead, reload, titleOfThread } from "../state/threads.ts";
import { ActFailure } from "../ui/act-button.tsx";
import { announce } from "../ui/announce.tsx";
import { Icon } from "../ui/icon.tsx";
import { Empty, Failure, Loading } from "../ui/states.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { Composer } from "./composer.tsx";
import { FindBar } from "./find-bar.tsx";
import { ThreadDialogs } from "./thread-dialogs.tsx";
import { ThreadFacts } from "./thread-facts.tsx";
import { ThreadMenu } from "./thread-menu.tsx";
import { RowView } from "./thread-row.tsx";
import { describeState, StateIcon } from "./thread-state.tsx";

export function ThreadPane({ threadId }: { threadId: string }) {
  const [thread] = useState(() => new OpenThread(threadId));
  useEffect(() => () => thread.close(), [thread]);
  const row = findThreadRow(threadId);
  useEffect(() => {
    const current = client.peek();
    if (row === undefined && current !== null) void reload(current, threadId).catch(() => {});
  }, [threadId, client.value]);
  useEffect(() => {
    const current = client.peek();
    const isSeen = current !== null && document.visibilityState === "visible";
    if (row?.unread !== true || !isSeen || missingScope("thread/readState/update") !== null) return;
    // A revision that is no longer current comes with the next summary.
    void markRead(current, row).catch(() => {});
  }, [row?.unread, row?.readRevision]);
  return (
    <>
      <div class="pane detail-pane">
        <ThreadHead thread={thread} />
        <ActFailure />
        <ThreadDialogs thread={thread} />
        <Feed thread={thread} />
        <Composer thread={thread} />
      </div>
      <div class="pane insp-pane">
        <div class="head">
          <h2>This thread</h2>
        </div>
        <div class="scroll" tabIndex={0} role="region" aria-label="Facts of this thread">
          <ThreadFacts thread={thread} row={row} />
        </div>
      </div>
    </>
  );
}

function ThreadHead({ thread: { threadId } }: { thread: OpenThread }) {
  const row = findThreadRow(threadId);
  const state = row === undefined ? null : describeState(row, now.value);
  return (
    <div class="head">
      <a class="btn plain icon back" href={pathOf("threads") + location.search} aria-label="Back to threads">
        <Icon name="left" />
      </a>
      <h2 class="h1">
        <bdi>{row === undefined ? "Thread" : titleOfThread(row)}</bdi>
      </h2>
      {state !== null && (
        <span class={`chip ${CHIPS[state.tone] ?? ""}`}>
          <StateIcon state={state} />
          <span class="clip">{state.words.split(":", 1)[0]}</span>
        </span>
      )}
      <span class="grow" />
      <ThreadMenu threadId={threadId} />
    </div>
  );
}

const CHIPS: Readonly<Record<string, string>> = {
  "fg-warn": "warn",
  "fg-run": "run",
  "fg-ok": "ok",
  "fg-bad": "bad",
};

function Feed({ thread }: { thread: OpenThread }) {
  const { threadId, model, structure, isLoaded, failure, hasOlder } = thread;
  const missed = useSignal(0);
  const [target, setTarget] = useState<{ key: string } | null>(null);
  const rows = useComputed(() => {
    void structure.value;
    for (const turn of model.turns) void thread.versionOf(turn.id).value;
    return rowsOf(model, openOf(threadId), hasOlder.value);
  });
  const { hash } = place.value;
  const isShown = isLoaded.value;
  useEffect(() => {
    if (isShown && hash.startsWith("#item-")) setTarget({ key: hash.slice("#item-".length) });
  }, [hash, isShown]);
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
  if (failure.value !== null && model.turns.length === 0) return <Failure message={failure.value} />;
  if (!isShown) return <Loading rows={7} />;
  return (
    <div class="feed">
      <FindBar thread={thread} onFound={(key) => setTarget({ key })} />
      {failure.value !== null && <Failure message={failure.value} />}
      {rows.value.length === 0 ? (
        <Empty icon="thread" title="Nothing has been said yet">
          <p>Write what the agent is to do. It works in the folder of this thread.</p>
        </Empty>
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
        <button
          class="btn jump"
          type="button"
          onClick={() => {
            const last = rows.peek().at(-1);
            if (last !== undefined) setTarget({ key: last.key });
          }}
        >
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
