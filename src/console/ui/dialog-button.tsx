/** A button that opens a dialog, and says why it cannot. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type HeldScope, lackOf } from "../state/server.ts";

interface DialogButtonProps {
  readonly name: string;
  readonly scope: HeldScope;
  readonly children: (close: () => void) => ComponentChildren;
}

export function DialogButton({ name, scope, children }: DialogButtonProps) {
  const [isOpen, open] = useState(false);
  const lack = lackOf(scope);
  return (
    <>
      <button
        class="btn"
        type="button"
        disabled={lack !== null}
        title={lack ?? undefined}
        onClick={() => open(true)}
      >
        {name}
      </button>
      {isOpen && children(() => open(false))}
    </>
  );
}
