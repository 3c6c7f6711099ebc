/** Starts a thread in a folder. */
import { useState } from "preact/hooks";
import { go, pathOf } from "../state/router.ts";
import { client } from "../state/server.ts";
import { allThreads } from "../state/threads.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";
import { isNewThreadOpen } from "../ui/palette-state.ts";

export function NewThread() {
  return (
    <DialogButton name="New" method="thread/start" isOpen={isNewThreadOpen}>
      {(close) => <NewThreadDialog onClose={close} />}
    </DialogButton>
  );
}

function NewThreadDialog({ onClose }: { onClose: () => void }) {
  const folders = [...new Set(allThreads.value.map(({ cwd }) => cwd))];
  const [folder, setFolder] = useState(folders[0] ?? "");
  async function start(): Promise<void> {
    const thread = await client.peek()?.startThread(folder === "" ? {} : { cwd: folder });
    if (thread !== undefined) go(pathOf("threads", thread.id));
  }
  return (
    <FormDialog title="New thread" submit="Start" onSubmit={start} onClose={onClose}>
      <label class="stack tight">
        Folder on the server
        <input
          class="field wide"
          {...{ list: "folders" }}
          dir="ltr"
          value={folder}
          onInput={(event) => setFolder(event.currentTarget.value)}
        />
      </label>
      <datalist id="folders">
        {folders.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </FormDialog>
  );
}
