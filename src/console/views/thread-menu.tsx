/** The menu of a thread. */
import { useEffect, useRef, useState } from "preact/hooks";
import { lackOf } from "../state/rights.ts";
import { THREAD_ACTIONS, type ThreadAction } from "../state/thread-actions.ts";
import { perform } from "../ui/act-button.tsx";
import { notify } from "../ui/announce.tsx";
import { Icon } from "../ui/icon.tsx";
import { isKey } from "../ui/key-table.ts";

export function ThreadMenu({ threadId }: { threadId: string }) {
  const [isOpen, open] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
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
  return (
    <div class="menu" ref={menu}>
      <button
        class="btn plain icon"
        type="button"
        aria-label="More actions"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => open(!isOpen)}
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
          {THREAD_ACTIONS.map((action) => (
            <MenuItem key={action.name} {...{ action, threadId }} onChosen={() => open(false)} />
          ))}
        </div>
      )}
    </div>
  );
}

interface MenuItemProps {
  readonly action: ThreadAction;
  readonly threadId: string;
  readonly onChosen: () => void;
}

/** An item that cannot be used keeps its place in the order of the focus. */
function MenuItem({ action, threadId, onChosen }: MenuItemProps) {
  const { name, icon, method } = action;
  const lack = lackOf(method);
  return (
    <button
      class="menu-item"
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={lack !== null}
      title={lack ?? undefined}
      onClick={() => {
        if (lack === null) onChosen();
        runThreadAction(action, threadId);
      }}
    >
      <Icon name={icon} />
      {name}
    </button>
  );
}

/** Without the right to it, it says so. */
export function runThreadAction({ name, method, run, opensDialog }: ThreadAction, threadId: string): void {
  const lack = lackOf(method);
  if (lack !== null) return notify(lack);
  void perform((client) => run(client, threadId), opensDialog === true ? "" : `${name}: done`);
}

function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }, close: () => void): void {
  if (isKey(event, "back")) {
    event.preventDefault();
    return close();
  }
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const items = Array.from(event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]"));
  const at = items.findIndex((item) => item === document.activeElement);
  items[(at + step + items.length) % items.length]?.focus();
}
