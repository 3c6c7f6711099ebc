/** A button that opens a dialog, and says why it cannot. */
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type GuardedMethod, guard } from "../state/rights.ts";

interface DialogButtonProps {
  readonly name: string;
  /** Which one, for screen readers. */
  readonly about?: string | null;
  /** What the dialog asks the server for. */
  readonly method: GuardedMethod;
  /** Given where something else opens it as well. */
  readonly isOpen?: Signal<boolean>;
  readonly children: (close: () => void) => ComponentChildren;
}

export function DialogButton({ name, about = null, method, isOpen, children }: DialogButtonProps) {
  const own = useSignal(false);
  const opened = isOpen ?? own;
  function open(value: boolean): void {
    opened.value = value;
  }
  return (
    <>
      <button class="btn" type="button" {...guard(method)} onClick={() => open(true)}>
        {name}
        {about !== null && <span class="sr"> {about}</span>}
      </button>
      {opened.value && children(() => open(false))}
    </>
  );
}
