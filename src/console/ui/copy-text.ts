/** Copies a text, and says what became of it. */
import { notify } from "./announce.tsx";

/** Browsers give no clipboard to a page without TLS, but for one of the machine itself. */
export const canCopy = (): boolean => "clipboard" in navigator;

/** `done` begins the sentence that says so. */
export function copyText(text: string, done: string): void {
  navigator.clipboard.writeText(text).then(
    () => notify(`${done} is copied`),
    () => notify(`${done} could not be copied: the browser does not allow it`),
  );
}
