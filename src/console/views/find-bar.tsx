/** Find in the thread: the search of the browser sees only the rows that are drawn. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { OpenThread } from "../state/open-thread.ts";
import type { Entry } from "../state/thread-model.ts";
import { Icon } from "../ui/icon.tsx";
import { isKey } from "../ui/key-table.ts";
import { useKeys } from "../ui/use-keys.ts";

export function FindBar({ thread, onFound }: { thread: OpenThread; onFound: (key: string) => void }) {
  const [isOpen, open] = useState(false);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  useKeys({
    find(event) {
      event.preventDefault();
      open(true);
      field.current?.select();
    },
  });
  useEffect(() => field.current?.select(), [isOpen]);
  if (!isOpen) return null;
  void thread.structure.value;
  const found = text.length < 2 ? [] : matches(thread, text.toLowerCase());
  function show(index: number): void {
    if (found.length === 0) return;
    const next = (index + found.length) % found.length;
    setAt(next);
    onFound(found[next] ?? "");
  }
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        show(at + 1);
      }}
      onKeyDown={(event) => {
        if (!isKey(event, "back")) return;
        event.preventDefault();
        open(false);
      }}
    >
      <input
        ref={field}
        class="field"
        type="search"
        aria-label="Find in this thread"
        placeholder="Find in this thread"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(-1);
        }}
      />
      <span class="small dim" role="status">
        {text.length < 2 ? "" : `${found.length === 0 ? 0 : Math.max(0, at) + 1} of ${found.length}`}
      </span>
      <button class="btn icon" type="button" aria-label="Previous match" onClick={() => show(at - 1)}>
        <Icon name="left" />
      </button>
      <button class="btn icon" type="submit" aria-label="Next match">
        <Icon name="right" />
      </button>
      <button class="btn plain icon" type="button" aria-label="Close" onClick={() => open(false)}>
        <Icon name="x" />
      </button>
    </form>
  );
}

function matches({ model }: OpenThread, text: string): readonly string[] {
  return model.turns.flatMap(({ entries }) =>
    entries.filter((entry) => textOf(entry).toLowerCase().includes(text)).map(({ id }) => id),
  );
}

function textOf(entry: Entry): string {
  if (entry.kind === "hook") return entry.run.entries.map(({ text }) => text).join("\n");
  const { item } = entry;
  switch (item.type) {
    case "userMessage":
      return item.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    case "agentMessage":
    case "plan":
      return item.text;
    case "reasoning":
      return [...item.summary, ...item.content].join("\n");
    case "commandExecution":
      return `${item.command}\n${item.aggregatedOutput ?? ""}`;
    case "fileChange":
      return item.changes.map(({ path, diff }) => `${path}\n${diff}`).join("\n");
    default:
      return "";
  }
}
