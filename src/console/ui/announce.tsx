/** What has happened, for screen readers, and for everybody where nothing else on the page shows it. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const polite = signal("");
const assertive = signal("");

export function announce(text: string, { isUrgent = false } = {}): void {
  (isUrgent ? assertive : polite).value = text;
}

/** A line over the page. An object, so that the same text is shown anew. */
const notice = signal<{ readonly text: string } | null>(null);
const NOTICE_MS = 6000;

/** Announces, and shows it for a moment. */
export function notify(text: string): void {
  announce(text);
  notice.value = { text };
}

function Notice() {
  const shown = notice.value;
  useEffect(() => {
    if (shown === null) return;
    const timer = setTimeout(() => {
      notice.value = null;
    }, NOTICE_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return shown === null ? null : (
    <div class="notice" dir="auto">
      {shown.text}
    </div>
  );
}

export function Announcements() {
  return (
    <>
      <Notice />
      <div class="sr" role="status" aria-live="polite">
        {polite}
      </div>
      <div class="sr" role="alert" aria-live="assertive">
        {assertive}
      </div>
    </>
  );
}
