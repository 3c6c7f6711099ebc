/** The address of the page: a view, an id, and filters. Each filter is part of the address, so that back works. */
import { computed, signal } from "@preact/signals";

export const VIEWS = ["inbox", "threads", "queue", "hooks", "decisions", "usage", "server"] as const;
export type View = (typeof VIEWS)[number];

export interface Place {
  readonly view: View;
  /** The open entry of the view; null for the list alone. */
  readonly id: string | null;
  readonly query: URLSearchParams;
  readonly hash: string;
}

const current = signal(readPlace());
export const place = computed(() => current.value);

function readPlace(): Place {
  const [first = "", second] = location.pathname.split("/").filter((part) => part !== "");
  const view = VIEWS.find((each) => each === first) ?? "inbox";
  return {
    view,
    id: second === undefined ? null : decodeURIComponent(second),
    query: new URLSearchParams(location.search),
    hash: location.hash,
  };
}

export function pathOf(view: View, id: string | null = null, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `/${view}${id === null ? "" : `/${encodeURIComponent(id)}`}${search === "" ? "" : `?${search}`}`;
}

export function go(path: string, { replaces = false } = {}): void {
  const isHere = path === location.pathname + location.search + location.hash;
  // A link to the item that was shown last shows it again.
  if (isHere && location.hash === "") return;
  if (replaces || isHere) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  current.value = readPlace();
}

/** Changes one filter of the current view. */
export function setFilter(name: string, value: string | null): void {
  const query = new URLSearchParams(location.search);
  if (value === null || value === "") query.delete(name);
  else query.set(name, value);
  const search = query.toString();
  go(location.pathname + (search === "" ? "" : `?${search}`), { replaces: true });
}

export function listen(): void {
  addEventListener("popstate", () => {
    current.value = readPlace();
  });
  addEventListener("click", (event) => {
    const { target } = event;
    const link = target instanceof Element ? target.closest("a") : null;
    if (link === null || !isPlain(event) || link.origin !== location.origin || link.target !== "") return;
    if (link.getAttribute("href")?.startsWith("#") === true) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}

const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented }: MouseEvent): boolean =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey && !defaultPrevented;
