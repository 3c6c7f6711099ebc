/** The keys of a list whose open entry is part of the address. */
import { go, pathOf, place, type View } from "../state/router.ts";
import { isOnControl, isWriting } from "../ui/keys.ts";
import { useKeys } from "../ui/use-keys.ts";

/** `ids` in the order of the list. With `keepsEscape` the key is not taken: it stops turns. */
export function useListKeys(view: View, ids: readonly string[], { keepsEscape = false } = {}): void {
  const show = (id: string | null | undefined): void => {
    if (id !== undefined) go(pathOf(view, id) + location.search);
  };
  const current = (): number => ids.findIndex((id) => id === place.peek().id);
  useKeys({
    next: () => show(ids[current() + 1]),
    previous: () => show(ids[Math.max(0, current() - 1)]),
    open({ target }) {
      if (place.peek().id === null && !isOnControl(target)) show(ids[0]);
    },
    list: () => show(null),
    back({ target }) {
      if (!keepsEscape && !isWriting(target)) show(null);
    },
  });
}

/** The open entry gets the focus, so that the arrow keys scroll it. */
export const focusDetail = (): void => document.querySelector<HTMLElement>(".detail-pane .scroll")?.focus();
