/** A form over the page. Escape closes it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../base/errors.ts";
import { Failure } from "./states.tsx";

export interface FormDialogProps {
  readonly title: string;
  readonly submit: string;
  /** Closes the dialog unless it fails. */
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  /** Asked for in the colour of what cannot be taken back. */
  readonly isDangerous?: boolean;
  readonly children: ComponentChildren;
}

export function FormDialog(props: FormDialogProps) {
  const { title, submit, onSubmit, onClose, isDangerous = false, children } = props;
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function send(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      await onSubmit();
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {children}
        {failure !== null && <Failure message={failure} />}
        <div class="row">
          <button class={`btn ${isDangerous ? "danger" : "primary"}`} type="submit" disabled={isBusy}>
            {submit}
          </button>
          <button class="btn" type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function Dialog({
  title,
  onClose,
  children,
}: Pick<FormDialogProps, "title" | "onClose" | "children">) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="palette form" aria-label={title} onClose={onClose}>
      <div class="pad stack">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
