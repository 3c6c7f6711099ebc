/** What can be done with a thread besides talking to it. */

import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../base/errors.ts";
import { go, pathOf } from "../state/router.ts";
import { client, lackOf } from "../state/server.ts";
import { findThreadRow, titleOfThread } from "../state/threads.ts";
import { announce } from "../ui/announce.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

interface Action {
  readonly name: string;
  readonly icon: IconName;
  readonly run: () => Promise<unknown>;
}

export function ThreadMenu({ threadId }: { threadId: string }) {
  const [isOpen, open] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const menu = useRef<HTMLDivElement>(null);
  const lack = lackOf("operate");
  useEffect(() => {
    if (!isOpen) return;
    function onPointer(event: Event): void {
      if (event.target instanceof Node && menu.current?.contains(event.target) === true) return;
      open(false);
    }
    addEventListener("pointerdown", onPointer);
    menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    return () => removeEventListener("pointerdown", onPointer);
  }, [isOpen]);

  async function run({ name, run: act }: Action): Promise<void> {
    open(false);
    try {
      await act();
      announce(`${name}: done`);
    } catch (error) {
      setFailure(messageOf(error));
    }
  }

  return (
    <div class="menu" ref={menu}>
      <button
        class="btn plain icon"
        type="button"
        aria-label="More actions"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => {
          open(!isOpen);
          setFailure(null);
        }}
      >
        <Icon name="dots" />
      </button>
      {isOpen && (
        <div
          class="menu-list"
          role="menu"
          aria-label="Actions"
          onKeyDown={(event) => moveFocus(event, () => open(false))}
        >
          {actionsOf(threadId).map((action) => (
            <button
              key={action.name}
              class="menu-item"
              type="button"
              role="menuitem"
              tabIndex={-1}
              disabled={lack !== null}
              onClick={() => void run(action)}
            >
              <Icon name={action.icon} />
              {action.name}
            </button>
          ))}
        </div>
      )}
      {failure !== null && (
        <div class="menu-list note bad" role="alert">
          {failure}
        </div>
      )}
    </div>
  );
}

function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }, close: () => void): void {
  if (event.key === "Escape") return close();
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const items = Array.from(event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]"));
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
}

function actionsOf(threadId: string): readonly Action[] {
  const current = client.peek();
  if (current === null) return [];
  const loaded = () => current.request("thread/resume", { threadId, excludeTurns: true });
  return [
    {
      name: "Rename",
      icon: "form",
      async run() {
        const row = findThreadRow(threadId);
        const name = prompt("A name for this thread", row === undefined ? "" : titleOfThread(row));
        if (name !== null && name.trim() !== "") await current.request("thread/name/set", { threadId, name });
      },
    },
    {
      name: "Fork",
      icon: "fork",
      async run() {
        const { thread } = await current.request("thread/fork", { threadId, excludeTurns: true });
        go(pathOf("threads", thread.id));
      },
    },
    {
      name: "Review the changes",
      icon: "search",
      async run() {
        await loaded();
        await current.request("review/start", { threadId, target: { type: "uncommittedChanges" } });
      },
    },
    {
      name: "Summarise the history",
      icon: "list",
      async run() {
        await loaded();
        await current.request("thread/compact/start", { threadId });
      },
    },
    {
      name: "Archive",
      icon: "file",
      async run() {
        await current.request("thread/archive", { threadId });
        go(pathOf("threads"));
      },
    },
  ];
}
