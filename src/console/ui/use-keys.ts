/** Keys that act while a view is shown. */
import { useEffect } from "preact/hooks";
import { isKey, type KeyName } from "./key-table.ts";

type Handlers = { readonly [Name in KeyName]?: (event: KeyboardEvent) => void };

/** Over an open dialog the keys of the view below do nothing. */
export const isDialogOpen = (): boolean => document.querySelector("dialog[open]") !== null;

export function useKeys(handlers: Handlers): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (event.defaultPrevented || isDialogOpen()) return;
      for (const [name, act] of namedHandlers(handlers)) if (isKey(event, name)) act(event);
    }
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

function namedHandlers(handlers: Handlers): readonly (readonly [KeyName, (event: KeyboardEvent) => void])[] {
  const names = Object.keys(handlers) as KeyName[];
  return names.flatMap((name) => {
    const act = handlers[name];
    return act === undefined ? [] : [[name, act] as const];
  });
}
