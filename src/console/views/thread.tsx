/** One thread: its turns as they stream, the facts beside it, and the composer. */
import { useEffect, useState } from "preact/hooks";
import { OpenThread } from "../state/open-thread.ts";
import { missingScope } from "../state/rights.ts";
import { pathOf } from "../state/router.ts";
import { client, now } from "../state/server.ts";
import { findThreadRow, markRead, reload, titleOfThread } from "../state/threads.ts";
import { ActFailure } from "../ui/act-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Composer } from "./composer.tsx";
import { Feed } from "./feed.tsx";
import { ThreadDialogs } from "./thread-dialogs.tsx";
import { ThreadFacts } from "./thread-facts.tsx";
import { ThreadMenu } from "./thread-menu.tsx";
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
