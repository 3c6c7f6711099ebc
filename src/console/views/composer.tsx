/** Where a message is written: it starts a turn, steers the one that runs, or waits in the queue. */
import { useEffect, useRef } from "preact/hooks";
import type { OpenThread } from "../state/open-thread.ts";
import { guard, missingScope } from "../state/rights.ts";
import { pathOf } from "../state/router.ts";
import { findThreadRow } from "../state/threads.ts";
import { Icon } from "../ui/icon.tsx";
import { isKey } from "../ui/key-table.ts";
import { Note } from "../ui/note.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { Attachments } from "./attachments.tsx";
import { TurnSettings, useTurnSettings } from "./turn-settings.tsx";
import { type Message, useMessage } from "./use-message.ts";

const MAX_HEIGHT = 220;
const ESCAPE_TWICE_MS = 600;

export function Composer({ thread }: { thread: OpenThread }) {
  const { threadId } = thread;
  const settings = useTurnSettings(threadId);
  const message = useMessage(threadId, settings);
  const field = useRef<HTMLTextAreaElement>(null);
  void thread.versionOf("thread").value;
  const running = thread.model.turns.at(-1);
  const isRunning = running?.status === "inProgress" || findThreadRow(threadId)?.status.type === "active";
  const { text, images, failure } = message;
  // Without a connection a draft can still be written.
  const lack = missingScope("turn/start");

  useEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = "auto";
    current.style.height = `${Math.min(MAX_HEIGHT, current.scrollHeight)}px`;
  }, [text]);
  const stop = (): void => void (isRunning && running !== undefined && message.stop(running.id));
  useStopKey(stop);

  function onKeyDown(event: KeyboardEvent): void {
    const isPhone = matchMedia("(pointer: coarse)").matches;
    const isQueued = isKey(event, "queue");
    if (isPhone || !(isQueued || isKey(event, "send"))) return;
    event.preventDefault();
    message.send(isQueued ? "queue" : "now");
  }

  return (
    <div
      class="composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (lack === null) message.attach(event.dataTransfer?.files ?? []);
      }}
    >
      <QueueLine threadId={threadId} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          message.send("now");
        }}
      >
        <label class="sr" for="message">
          Message
        </label>
        <textarea
          id="message"
          ref={field}
          dir="auto"
          value={text}
          placeholder={
            lack ?? (isRunning ? "Add to the running turn, or queue a message" : "Describe a task")
          }
          disabled={lack !== null}
          title={lack ?? undefined}
          onInput={(event) => message.write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const files = Array.from(event.clipboardData?.files ?? []);
            if (files.length === 0) return;
            event.preventDefault();
            message.attach(files);
          }}
        />
        <Attachments urls={images} onRemove={message.detach} />
        {failure !== null && (
          <Note tone="bad" isAlert>
            {failure}
          </Note>
        )}
        <div class="row">
          <FileButton lack={lack} onFiles={message.attach} />
          <TurnSettings settings={settings} />
          <span class="grow" />
          <SendButtons message={message} isRunning={isRunning} onStop={stop} />
        </div>
      </form>
    </div>
  );
}

interface SendButtonsProps {
  readonly message: Message;
  readonly isRunning: boolean;
  readonly onStop: () => void;
}

function SendButtons({ message, isRunning, onStop }: SendButtonsProps) {
  const { isEmpty, isSending } = message;
  return (
    <>
      {isRunning && (
        <button class="btn danger" type="button" {...guard("turn/interrupt")} onClick={onStop}>
          <Icon name="stop" />
          Stop
        </button>
      )}
      {isRunning && (
        <button
          class="btn"
          type="button"
          {...guard("thread/queue/add", { isDisabled: isEmpty })}
          onClick={() => message.send("queue")}
        >
          Queue
        </button>
      )}
      <button
        class="btn primary"
        type="submit"
        {...guard("turn/start", { isDisabled: isEmpty || isSending })}
      >
        {isSending ? "Sending…" : isRunning ? "Steer" : "Send"}
      </button>
    </>
  );
}

/** Escape twice stops the turn. */
function useStopKey(stop: () => void): void {
  const last = useRef(0);
  useKeys({
    stop() {
      const at = performance.now();
      if (at - last.current < ESCAPE_TWICE_MS) stop();
      last.current = at;
    },
  });
}

interface FileButtonProps {
  readonly lack: string | null;
  readonly onFiles: (files: Iterable<File>) => void;
}

function FileButton({ lack, onFiles }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        class="btn plain icon"
        type="button"
        aria-label="Attach images"
        disabled={lack !== null}
        title={lack ?? undefined}
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        hidden
        aria-hidden="true"
        tabIndex={-1}
        onChange={(event) => {
          onFiles(Array.from(event.currentTarget.files ?? []));
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

function QueueLine({ threadId }: { threadId: string }) {
  const row = findThreadRow(threadId);
  const count = row?.queueLength ?? 0;
  if (count === 0) return null;
  return (
    <div class="queued">
      <Icon name="queue" />
      <span class="grow">Turns of this thread wait</span>
      <a href={pathOf("queue")}>{count} queued</a>
    </div>
  );
}
