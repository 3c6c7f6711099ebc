/** The command palette: views, threads and questions by a part of their names. */
import { useEffect, useRef, useState } from "preact/hooks";
import { openQuestions } from "../state/inbox.ts";
import { go, pathOf, VIEWS } from "../state/router.ts";
import { allThreads, titleOfThread } from "../state/threads.ts";
import { wordsOfQuestion } from "../text/describe-question.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { hasLetterKeys, letterOf, setLetterKeys } from "../ui/keys.ts";
import { isPaletteOpen, openPalette } from "../ui/palette-state.ts";

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly icon: IconName;
  readonly hint: string;
  readonly run: () => void;
}

const NAMES: Readonly<Record<(typeof VIEWS)[number], readonly [string, IconName, string]>> = {
  inbox: ["Inbox", "inbox", "I"],
  threads: ["Threads", "thread", "T"],
  queue: ["Queue", "queue", "Q"],
  hooks: ["Hooks", "hook", "H"],
  decisions: ["Policy and decisions", "shield", "P"],
  usage: ["Usage", "chart", "U"],
  server: ["Server", "server", "S"],
};
const MAX_SHOWN = 12;
const PREFIX_MS = 1200;

/** Ctrl+K and `?` open the palette; G and a letter go to a view. */
export function usePaletteKeys(): void {
  const prefixAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return openPalette();
      }
      if (event.key === "?" && letterOf(event) !== null) return openPalette();
      const letter = letterOf(event);
      if (letter === null) return;
      if (performance.now() - prefixAt.current < PREFIX_MS) {
        prefixAt.current = Number.NEGATIVE_INFINITY;
        const view = VIEWS.find((each) => NAMES[each][2].toLowerCase() === letter);
        if (view === undefined) return;
        event.stopImmediatePropagation();
        return go(pathOf(view));
      }
      if (letter === "g") prefixAt.current = performance.now();
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
  const shown = entries()
    .filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, MAX_SHOWN);
  const index = Math.min(at, shown.length - 1);
  function run(entry: Entry | undefined): void {
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
        aria-label="Go to a thread, a question or a view"
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
            onClick={() => run(entry)}
          >
            <Icon name={entry.icon} />
            <bdi class="clip">{entry.name}</bdi>
            <kbd aria-hidden="true">{entry.hint}</kbd>
          </li>
        ))}
      </ul>
    </dialog>
  );
}

function entries(): readonly Entry[] {
  return [
    ...openQuestions.value.map((approval) => ({
      key: approval.id,
      name: wordsOfQuestion(approval).short,
      icon: "warn" as const,
      hint: "question",
      run: () => go(pathOf("inbox", approval.id)),
    })),
    ...VIEWS.map((view) => {
      const [name, icon, letter] = NAMES[view];
      return { key: view, name, icon, hint: `G ${letter}`, run: () => go(pathOf(view)) };
    }),
    ...allThreads.value.map((row) => ({
      key: row.id,
      name: titleOfThread(row),
      icon: "thread" as const,
      hint: "thread",
      run: () => go(pathOf("threads", row.id)),
    })),
    {
      key: "letters",
      name: hasLetterKeys.value ? "Switch single-letter keys off" : "Switch single-letter keys on",
      icon: "form" as const,
      hint: "keys",
      run: () => setLetterKeys(!hasLetterKeys.peek()),
    },
  ];
}
