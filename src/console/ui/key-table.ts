/** All keys of the page: what they are called, what they do, and how they are recognised. The help shows this table. */
import { letterOf } from "./keys.ts";

interface Key {
  readonly group: KeyGroup;
  readonly does: string;
  /** A letter or a sign by itself: it can be switched off. */
  readonly letter?: string;
  /** The value of `KeyboardEvent.key` of another key. */
  readonly key?: string;
  readonly with?: "mod" | "alt" | "shift";
  readonly isTwice?: true;
}

export const KEY_GROUPS = ["Anywhere", "Lists", "Questions", "Threads", "Messages", "Queue"] as const;
type KeyGroup = (typeof KEY_GROUPS)[number];

const KEYS = {
  palette: { group: "Anywhere", with: "mod", key: "k", does: "Go to a thread or a view, or do something" },
  help: { group: "Anywhere", letter: "?", does: "All keys" },
  next: { group: "Lists", letter: "j", does: "Next" },
  previous: { group: "Lists", letter: "k", does: "Previous" },
  open: { group: "Lists", key: "Enter", does: "Open; after an answer, the next question" },
  back: { group: "Lists", key: "Escape", does: "Leave the field, or go back to the list" },
  list: { group: "Lists", letter: "u", does: "Back to the list" },
  search: { group: "Lists", letter: "/", does: "Search the list" },
  allowOnce: { group: "Questions", letter: "a", does: "Allow once" },
  allowInThread: { group: "Questions", letter: "s", does: "Allow in this thread" },
  allowAlways: { group: "Questions", letter: "r", isTwice: true, does: "Always allow, where it is offered" },
  decline: { group: "Questions", letter: "d", does: "Decline" },
  declineAndStop: { group: "Questions", letter: "x", does: "Decline, and stop the turn" },
  openThread: { group: "Questions", letter: "o", does: "Open the thread" },
  find: { group: "Threads", with: "mod", key: "f", does: "Find in the thread" },
  previousTurn: { group: "Threads", letter: "[", does: "Previous turn" },
  nextTurn: { group: "Threads", letter: "]", does: "Next turn" },
  end: { group: "Threads", key: "End", does: "To the end" },
  copyLink: { group: "Threads", letter: "c", does: "Copy the link of the item" },
  stop: { group: "Threads", key: "Escape", isTwice: true, does: "Stop the turn" },
  send: { group: "Messages", key: "Enter", does: "Send, or add to the running turn" },
  queue: { group: "Messages", with: "alt", key: "Enter", does: "Queue" },
  newLine: { group: "Messages", with: "shift", key: "Enter", does: "New line" },
  moveUp: { group: "Queue", with: "alt", key: "ArrowUp", does: "Move the turn up" },
  moveDown: { group: "Queue", with: "alt", key: "ArrowDown", does: "Move the turn down" },
} as const satisfies Readonly<Record<string, Key>>;
export type KeyName = keyof typeof KEYS;

const rows: Readonly<Record<KeyName, Key>> = KEYS;

export function isKey(event: KeyboardEvent, name: KeyName): boolean {
  const { letter, key, with: modifier = null } = rows[name];
  if (letter !== undefined) return letterOf(event) === letter;
  const { altKey, shiftKey } = event;
  const isMod = event.ctrlKey || event.metaKey;
  const held = [isMod && "mod", altKey && "alt", shiftKey && "shift"].filter((each) => each !== false);
  return (
    event.key.toLowerCase() === key?.toLowerCase() && held.join() === (modifier ?? "") && !event.isComposing
  );
}

export const IS_MAC = /Mac|iPhone|iPad/u.test(navigator.userAgent);
const SHOWN: Readonly<Record<string, string>> = {
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  mod: IS_MAC ? "⌘" : "Ctrl",
  alt: IS_MAC ? "⌥" : "Alt",
  shift: "Shift",
};
const shown = (key: string): string => SHOWN[key] ?? (key.length === 1 ? key.toUpperCase() : key);

/** As it is written on the keys. */
export function labelOf(name: KeyName): string {
  const { letter, key = "", with: modifier } = rows[name];
  return modifier === undefined ? shown(letter ?? key) : `${shown(modifier)}+${shown(key)}`;
}

/** The table for people. */
export function describeKeys(group: KeyGroup): readonly { readonly keys: string; readonly does: string }[] {
  const names = (Object.keys(KEYS) as KeyName[]).filter((name) => rows[name].group === group);
  return names.map((name) => {
    const { does, isTwice } = rows[name];
    return { keys: isTwice === true ? `${labelOf(name)} ${labelOf(name)}` : labelOf(name), does };
  });
}
