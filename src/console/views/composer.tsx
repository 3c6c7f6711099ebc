/** Where a message is written: it starts a turn, steers the one that runs, or waits in the queue. */
import { useEffect, useRef } from "preact/hooks";
import type { OpenThread } from "../state/open-thread.ts";
import { pathOf } from "../state/router.ts";
import { lackOf } from "../state/server.ts";
import { findThreadRow } from "../state/threads.ts";
import { Icon } from "../ui/icon.tsx";
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
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || isPhone) return;
    event.preventDefault();
    message.send(event.altKey ? "queue" : "now");
  }

  return (
    <div
      class="composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        message.attach(event.dataTransfer?.files ?? []);
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
          placeholder={isRunning ? "Steer the running turn, or queue what comes next" : "What is to be done?"}
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
          <p class="note bad" role="alert">
            {failure}
          </p>
        )}
        <div class="row">
          <FileButton onFiles={message.attach} />
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
  const lack = lackOf("operate");
  const isBlocked = lack !== null || message.isEmpty;
  return (
    <>
      {isRunning && (
        <button class="btn danger" type="button" disabled={lack !== null} onClick={onStop}>
          <Icon name="stop" />
          Stop
        </button>
      )}
      {isRunning && (
        <button class="btn" type="button" disabled={isBlocked} onClick={() => message.send("queue")}>
          Queue
        </button>
      )}
      <button
        class="btn primary"
        type="submit"
        disabled={isBlocked || message.isSending}
        title={lack ?? undefined}
      >
        {message.isSending ? "Sending…" : isRunning ? "Steer" : "Send"}
      </button>
    </>
  );
}

/** Escape twice stops the turn. */
function useStopKey(stop: () => void): void {
  const last = useRef(0);
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (event.key !== "Escape" || document.querySelector("dialog[open]") !== null) return;
      const at = performance.now();
      if (at - last.current < ESCAPE_TWICE_MS) stop();
      last.current = at;
    }
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

function FileButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        class="btn plain icon"
        type="button"
        aria-label="Attach images"
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
