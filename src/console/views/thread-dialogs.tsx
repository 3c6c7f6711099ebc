/** The dialogs of the menu of a thread. */
import { useState } from "preact/hooks";
import type { OpenThread } from "../state/open-thread.ts";
import { client, now } from "../state/server.ts";
import { ensureLoaded, threadDialog } from "../state/thread-actions.ts";
import type { TurnModel } from "../state/thread-model.ts";
import { findThreadRow, titleOfThread } from "../state/threads.ts";
import { inputText } from "../text/describe-queue.ts";
import { clockTime } from "../text/time.ts";
import { notify } from "../ui/announce.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { ChoiceField, TextField } from "../ui/fields.tsx";
import { Note } from "../ui/note.tsx";

export function ThreadDialogs({ thread }: { thread: OpenThread }) {
  const close = (): void => {
    threadDialog.value = null;
  };
  switch (threadDialog.value) {
    case null:
      return null;
    case "rename":
      return <RenameDialog thread={thread} onClose={close} />;
    case "revert":
      return <RevertDialog thread={thread} onClose={close} />;
  }
}

interface DialogProps {
  readonly thread: OpenThread;
  readonly onClose: () => void;
}

function RenameDialog({ thread: { threadId }, onClose }: DialogProps) {
  const row = findThreadRow(threadId);
  const [name, setName] = useState(row === undefined ? "" : titleOfThread(row));
  async function rename(): Promise<void> {
    await client.peek()?.request("thread/name/set", { threadId, name: name.trim() });
  }
  return (
    <FormDialog title="Rename the thread" submit="Rename" onSubmit={rename} onClose={onClose}>
      <TextField label="Name" value={name} onValue={setName} isRequired />
    </FormDialog>
  );
}

function RevertDialog({ thread: { threadId, model }, onClose }: DialogProps) {
  const turns = model.turns.toReversed();
  const [turnId, choose] = useState(turns[0]?.id ?? "");
  const count = turns.findIndex(({ id }) => id === turnId) + 1;
  async function revert(): Promise<void> {
    const current = client.peek();
    if (current === null) return;
    await ensureLoaded(current, threadId);
    await current.request("thread/revert", { threadId, beforeTurnId: turnId });
    notify(count === 1 ? "One turn was taken back" : `${count} turns were taken back`);
  }
  return (
    <FormDialog
      title="Revert the thread"
      submit={count === 1 ? "Take back one turn" : `Take back ${count} turns`}
      onSubmit={revert}
      onClose={onClose}
      isDangerous
    >
      <ChoiceField
        label="To the state before"
        value={turnId}
        onValue={choose}
        choices={turns.map((turn) => [turn.id, titleOfTurn(turn)])}
      />
      <Note tone="warn">
        This turn and all that came after it leave the history, also for the model. Files stay as they are:
        what the turns changed in the folder is not undone.
      </Note>
    </FormDialog>
  );
}

const MAX_TITLE = 60;

function titleOfTurn({ startedAt, entries }: TurnModel): string {
  const said = entries.flatMap((entry) =>
    entry.kind === "item" && entry.item.type === "userMessage" ? [inputText(entry.item.content)] : [],
  );
  const time = startedAt === null ? "" : `${clockTime(startedAt, now.peek())} · `;
  return `${time}${(said[0] ?? "A turn").slice(0, MAX_TITLE)}`;
}
