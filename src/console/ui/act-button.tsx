/** A button that asks the server for something. It says why it cannot, and what went wrong. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../base/errors.ts";
import type { Client } from "../../client/browser.ts";
import { type GuardedMethod, guard } from "../state/rights.ts";
import { client } from "../state/server.ts";
import { announce } from "./announce.tsx";
import { Icon } from "./icon.tsx";

export interface ActButtonProps {
  /** What it asks for. */
  readonly method: GuardedMethod;
  readonly act: (client: Client) => Promise<unknown>;
  /** Said to screen readers when it was done. */
  readonly done: string;
  readonly class?: string;
  /** The name where the content is an icon. */
  readonly label?: string;
  /** Shown after the first click; a second one acts. */
  readonly asks?: string;
  readonly isDisabled?: boolean;
  readonly children: ComponentChildren;
}

/** For a second click. */
const ASKED_MS = 5000;

const failure = signal<string | null>(null);

export function ActButton(props: ActButtonProps) {
  const { method, act, done, class: tone = "", label, asks, isDisabled = false, children } = props;
  const [isBusy, setBusy] = useState(false);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(() => setAsked(false), ASKED_MS);
    return () => clearTimeout(timer);
  }, [isAsked]);

  function press(): void {
    if (asks !== undefined && !isAsked) return setAsked(true);
    setAsked(false);
    setBusy(true);
    void perform(act, done).finally(() => setBusy(false));
  }

  return (
    <button
      class={`btn ${tone}`}
      type="button"
      aria-label={isAsked ? undefined : label}
      {...guard(method, { title: label, isDisabled: isBusy || isDisabled })}
      onClick={press}
    >
      {isAsked ? asks : children}
    </button>
  );
}

/** Whether it was done. A failure is shown by `ActFailure`. */
export async function perform(act: ActButtonProps["act"], done: string): Promise<boolean> {
  const current = client.peek();
  if (current === null) return false;
  failure.value = null;
  try {
    await act(current);
    announce(done);
    return true;
  } catch (error) {
    failure.value = messageOf(error);
    return false;
  }
}

/** What went wrong last in this view. */
export function ActFailure() {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => () => void (failure.value = null), []);
  useEffect(() => note.current?.scrollIntoView({ block: "nearest" }), [failure.value]);
  if (failure.value === null) return null;
  return (
    <div class="note bad" role="alert" ref={note}>
      <Icon name="x" />
      <span class="grow wraps" dir="auto">
        {failure.value}
      </span>
      <button
        class="btn plain"
        type="button"
        onClick={() => {
          failure.value = null;
        }}
      >
        Close
      </button>
    </div>
  );
}
