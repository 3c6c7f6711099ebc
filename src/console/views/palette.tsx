/** The command palette: views, threads, questions and actions by a part of their names. */
import { useEffect, useRef, useState } from "preact/hooks";
import { go, pathOf, VIEWS } from "../state/router.ts";
import { VIEW_NAMES } from "../state/view-names.ts";
import { notify } from "../ui/announce.tsx";
import { Icon } from "../ui/icon.tsx";
import { isKey } from "../ui/key-table.ts";
import { letterOf } from "../ui/keys.ts";
import { isPaletteOpen, openKeyHelp, openPalette } from "../ui/palette-state.ts";
import { isDialogOpen } from "../ui/use-keys.ts";
import { type PaletteEntry, paletteEntries } from "./palette-entries.ts";

const MAX_SHOWN = 12;
const PREFIX_MS = 1200;

/** The keys that work in every view. They come before those of the view: the letter after G is not one of its own. */
export function usePaletteKeys(): void {
  const prefixAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (isDialogOpen()) return;
      if (isKey(event, "palette")) {
        event.preventDefault();
        return openPalette();
      }
      if (isKey(event, "help")) return openKeyHelp();
      const letter = letterOf(event);
      if (letter === null) return;
      const isAfterPrefix = performance.now() - prefixAt.current < PREFIX_MS;
      prefixAt.current = letter === "g" ? performance.now() : Number.NEGATIVE_INFINITY;
      const view = isAfterPrefix ? VIEWS.find((each) => VIEW_NAMES[each].letter === letter) : undefined;
      if (view === undefined) return;
      event.stopImmediatePropagation();
      go(pathOf(view));
    }
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, []);
}

export function Palette() {
  return isPaletteOpen.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const shown = paletteEntries()
    .filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, MAX_SHOWN);
  const index = Math.min(at, shown.length - 1);
  function run(entry: PaletteEntry | undefined): void {
    if (entry?.lack != null) return notify(entry.lack);
    dialog.current?.close();
    entry?.run();
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "ArrowDown") setAt((index + 1) % Math.max(1, shown.length));
    else if (event.key === "ArrowUp") setAt((index - 1 + shown.length) % Math.max(1, shown.length));
    else if (event.key === "Enter") run(shown[index]);
    else return;
    event.preventDefault();
  }
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onClose={() => {
        isPaletteOpen.value = false;
      }}
    >
      <input
        {...{ role: "combobox" as const, list: "none" }}
        type="text"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={shown[index] === undefined ? undefined : `palette-${shown[index].key}`}
        aria-label="Go to a thread, a question or a view, or do something"
        placeholder="Go to a thread, a question or a view"
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul role="listbox" id="palette-list" aria-label="Matches">
        {shown.map((entry, each) => (
          <li
            key={entry.key}
            id={`palette-${entry.key}`}
            role="option"
            aria-selected={each === index}
            aria-disabled={entry.lack != null}
            title={entry.lack ?? undefined}
            onClick={() => run(entry)}
          >
            <Icon name={entry.icon} />
            <bdi class="clip">{entry.name}</bdi>
            <span class="hint clip">{entry.hint}</span>
          </li>
        ))}
      </ul>
    </dialog>
  );
}
