/** One region that tells screen readers what has happened. */
import { signal } from "@preact/signals";

const polite = signal("");
const assertive = signal("");

export function announce(text: string, { isUrgent = false } = {}): void {
  (isUrgent ? assertive : polite).value = text;
}

export function Announcements() {
  return (
    <>
      <div class="sr" role="status" aria-live="polite">
        {polite}
      </div>
      <div class="sr" role="alert" aria-live="assertive">
        {assertive}
      </div>
    </>
  );
}
