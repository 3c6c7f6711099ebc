/** The link of an item: an address that opens its thread, scrolls to it and marks it. */
import { go, pathOf, place } from "../state/router.ts";
import { notify } from "../ui/announce.tsx";
import { canCopy, copyText } from "../ui/copy-text.ts";
import { Icon } from "../ui/icon.tsx";

const PREFIX = "item-";

export const idOfRow = (key: string): string => PREFIX + key;
/** The row that the address names. */
export const linkedRow = (): string | null => {
  const { hash } = place.value;
  return hash.startsWith(`#${PREFIX}`) ? decodeURIComponent(hash.slice(PREFIX.length + 1)) : null;
};
/** The row that an element of the page belongs to. */
export const rowOf = (element: Element | null): string | null =>
  element?.closest(`article[id^=${PREFIX}]`)?.id.slice(PREFIX.length) ?? null;

export const pathOfItem = (threadId: string, key: string): string =>
  `${pathOf("threads", threadId)}#${PREFIX}${encodeURIComponent(key)}`;

export function copyItemLink(threadId: string, key: string): void {
  const path = pathOfItem(threadId, key);
  if (canCopy()) return copyText(location.origin + path, "The link of the item");
  go(path, { replaces: true });
  notify("This page has no clipboard, because it has no TLS. The link is now the address of the page.");
}

export function CopyLink({ threadId, rowKey }: { threadId: string; rowKey: string }) {
  return (
    <button
      class="btn plain icon copy-link"
      type="button"
      aria-label="Copy link"
      title="Copy link"
      onClick={() => copyItemLink(threadId, rowKey)}
    >
      <Icon name="link" />
    </button>
  );
}
