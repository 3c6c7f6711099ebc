/** The view of the current address in its frame. */
import { useEffect } from "preact/hooks";
import { openQuestions } from "./state/inbox.ts";
import { place } from "./state/router.ts";
import { Announcements, announce } from "./ui/announce.tsx";
import { isWriting } from "./ui/keys.ts";
import { useKeys } from "./ui/use-keys.ts";
import { Inbox } from "./views/inbox.tsx";
import { LateKeyHelp, Later } from "./views/later.tsx";
import { Palette, usePaletteKeys } from "./views/palette.tsx";
import { Shell } from "./views/shell.tsx";
import { Threads } from "./views/threads.tsx";

export function App() {
  usePaletteKeys();
  useKeys({
    back({ target }) {
      if (target instanceof HTMLElement && isWriting(target)) target.blur();
    },
  });
  useTitle();
  return (
    <>
      <Shell>
        <CurrentView />
      </Shell>
      <Palette />
      <LateKeyHelp />
      <Announcements />
    </>
  );
}

function CurrentView() {
  switch (place.value.view) {
    case "inbox":
      return <Inbox />;
    case "threads":
      return <Threads />;
    default:
      return <Later view={place.value.view} />;
  }
}

/** The number of questions stands before the title, and a new one is announced. */
function useTitle(): void {
  const count = openQuestions.value.length;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Heddle` : "Heddle";
    if (count > 0)
      announce(`${count} ${count === 1 ? "question waits" : "questions wait"} for you`, { isUrgent: true });
  }, [count]);
}
