/** The message that is being written in a thread, and what sends it. */

import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../base/errors.ts";
import type { UserInput } from "../../protocol/generated/types.ts";
import { draftOf, keepDraft } from "../state/drafts.ts";
import { type GuardedMethod, lackOf } from "../state/rights.ts";
import { client } from "../state/server.ts";
import { readImages } from "./attachments.tsx";
import type { TurnSettingsState } from "./turn-settings.tsx";

export interface Message {
  readonly text: string;
  /** Data URLs. */
  readonly images: readonly string[];
  readonly failure: string | null;
  readonly isSending: boolean;
  readonly isEmpty: boolean;
  write(text: string): void;
  attach(files: Iterable<File>): void;
  detach(at: number): void;
  /** `queue` waits until the thread is idle. */
  send(how: "now" | "queue"): void;
  stop(turnId: string): void;
}

export function useMessage(threadId: string, settings: TurnSettingsState): Message {
  const [text, write] = useState(() => draftOf(threadId));
  const [images, setImages] = useState<readonly string[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const isEmpty = text.trim() === "" && images.length === 0;
  useEffect(() => keepDraft(threadId, text), [threadId, text]);

  async function send(how: "now" | "queue"): Promise<void> {
    const current = client.peek();
    if (current === null || isEmpty || isSending) return;
    assertMay(how === "queue" ? "thread/queue/add" : "turn/start");
    const input = toInput(text, images);
    const clientUserMessageId = createKey();
    // A thread that is not loaded is loaded by this; it does no harm otherwise.
    await current.request("thread/resume", { threadId, excludeTurns: true });
    if (how === "queue") await current.request("thread/queue/add", { threadId, clientUserMessageId, input });
    else
      await current.request("turn/start", { threadId, input, clientUserMessageId, ...settings.overrides() });
    write("");
    setImages([]);
  }

  function attempt(work: Promise<unknown>): Promise<void> {
    setFailure(null);
    return work.then(
      () => {},
      (error: unknown) => setFailure(messageOf(error)),
    );
  }

  return {
    text,
    images,
    failure,
    isSending,
    isEmpty,
    write,
    attach(files) {
      void readImages(files).then(({ urls, fault }) => {
        setImages((known) => [...known, ...urls]);
        setFailure(fault);
      });
    },
    detach: (at) => setImages(images.filter((_, index) => index !== at)),
    send(how) {
      setSending(true);
      void attempt(send(how)).then(() => setSending(false));
    },
    stop(turnId) {
      void attempt(interrupt(threadId, turnId));
    },
  };
}

async function interrupt(threadId: string, turnId: string): Promise<void> {
  assertMay("turn/interrupt");
  await client.peek()?.request("turn/interrupt", { threadId, turnId });
}

/** Keys act where a button would be switched off. */
function assertMay(method: GuardedMethod): void {
  const lack = lackOf(method);
  if (lack !== null) throw new Error(lack);
}

function toInput(text: string, images: readonly string[]): UserInput[] {
  const said: UserInput[] = text.trim() === "" ? [] : [{ type: "text", text }];
  return [...said, ...images.map((url): UserInput => ({ type: "image", url }))];
}

/** A page on plain http in a network has no `randomUUID`. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
