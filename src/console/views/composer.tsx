/** Where a message is written: it starts a turn, steers the one that runs, or waits in the queue. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { UserInput } from "../../protocol/generated/types.ts";
import { draftOf, keepDraft } from "../state/drafts.ts";
import type { OpenThread } from "../state/open-thread.ts";
import { pathOf } from "../state/router.ts";
import { client, lackOf } from "../state/server.ts";
import { find } from "../state/threads.ts";
import { Icon } from "../ui/icon.tsx";
import { Attachments, readImages } from "./attachments.tsx";
import { TurnSettings, useTurnSettings } from "./turn-settings.tsx";

const MAX_HEIGHT = 220;
const ESCAPE_TWICE_MS = 600;

export function Composer({ thread }: { thread: OpenThread }) {
  const { threadId } = thread;
  const [text, setText] = useState(() => draftOf(threadId));
  const [images, setImages] = useState<readonly string[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const isSending = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const settings = useTurnSettings(threadId);
  void thread.versionOf("thread").value;
  const running = thread.model.turns.at(-1);
  const isRunning = running?.status === "inProgress" || find(threadId)?.status.type === "active";
  const lack = lackOf("operate");
  const isEmpty = text.trim() === "" && images.length === 0;

  useEffect(() => keepDraft(threadId, text), [threadId, text]);
  useEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = "auto";
    current.style.height = `${Math.min(MAX_HEIGHT, current.scrollHeight)}px`;
  }, [text]);

  async function send(how: "now" | "queue"): Promise<void> {
    const current = client.peek();
    if (current === null || isEmpty || isSending.peek() || lack !== null) return;
    isSending.value = true;
    setFailure(null);
    const input: UserInput[] = [
      ...(text.trim() === "" ? [] : [{ type: "text" as const, text }]),
      ...images.map((url) => ({ type: "image" as const, url })),
    ];
    const clientUserMessageId = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    try {
      // The thread may not be loaded; a resume makes it so, and does no harm otherwise.
      await current.request("thread/resume", { threadId, excludeTurns: true });
      if (how === "queue")
        await current.request("thread/queue/add", { threadId, clientUserMessageId, input });
      else
        await current.request("turn/start", {
          threadId,
          input,
          clientUserMessageId,
          ...settings.overrides(),
        });
      setText("");
      setImages([]);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      isSending.value = false;
      field.current?.focus();
    }
  }

  async function stop(): Promise<void> {
    if (running === undefined) return;
    try {
      await client.peek()?.request("turn/interrupt", { threadId, turnId: running.id });
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
  }

  useStopKey(() => isRunning && void stop());

  function onKeyDown(event: KeyboardEvent): void {
    if (
      event.key !== "Enter" ||
      event.shiftKey ||
      event.isComposing ||
      matchMedia("(pointer: coarse)").matches
    )
      return;
    event.preventDefault();
    void send(event.altKey ? "queue" : "now");
  }

  async function addFiles(files: Iterable<File>): Promise<void> {
    const { urls, fault } = await readImages(files);
    setImages((known) => [...known, ...urls]);
    setFailure(fault);
  }

  return (
    <div
      class="composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void addFiles(event.dataTransfer?.files ?? []);
      }}
    >
      <QueueLine threadId={threadId} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send("now");
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
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const files = Array.from(event.clipboardData?.files ?? []);
            if (files.length === 0) return;
            event.preventDefault();
            void addFiles(files);
          }}
        />
        <Attachments urls={images} onRemove={(at) => setImages(images.filter((_, index) => index !== at))} />
        {failure !== null && (
          <p class="note bad" role="alert">
            {failure}
          </p>
        )}
        <div class="row">
          <FileButton onFiles={(files) => void addFiles(files)} />
          <TurnSettings settings={settings} />
          <span class="grow" />
          {isRunning && (
            <button class="btn danger" type="button" disabled={lack !== null} onClick={() => void stop()}>
              <Icon name="stop" />
              Stop
            </button>
          )}
          {isRunning && (
            <button
              class="btn"
              type="button"
              disabled={lack !== null || isEmpty}
              onClick={() => void send("queue")}
            >
              Queue
            </button>
          )}
          <button
            class="btn primary"
            type="submit"
            disabled={lack !== null || isEmpty || isSending.value}
            title={lack ?? undefined}
          >
            {isSending.value ? "Sending…" : isRunning ? "Steer" : "Send"}
          </button>
        </div>
      </form>
    </div>
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
  const row = find(threadId);
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
