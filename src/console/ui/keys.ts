/** Keys: letters by what they produce, and on layouts without Latin letters by their place. */
import { signal } from "@preact/signals";

const STORED = "heddle.letterKeys";

/** Single-letter keys can be switched off. */
export const hasLetterKeys = signal(readSetting());

function readSetting(): boolean {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
}

export function setLetterKeys(isOn: boolean): void {
  hasLetterKeys.value = isOn;
  try {
    localStorage.setItem(STORED, isOn ? "on" : "off");
  } catch {
    // A browser without storage forgets the setting.
  }
}

/** The letter of a key without modifiers, in lower case; null while text is being written. */
export function letterOf(event: KeyboardEvent): string | null {
  // On some layouts signs such as [ are typed with AltGr, which counts as Ctrl and Alt.
  const hasModifier = (event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph");
  if (!hasLetterKeys.peek() || hasModifier || event.metaKey || event.isComposing) return null;
  if (isWriting(event.target)) return null;
  const { key, code } = event;
  if (key.length === 1 && key.charCodeAt(0) < 128) return key.toLowerCase();
  return /^Key([A-Z])$/u.exec(code)?.[1]?.toLowerCase() ?? null;
}

/** Whether Enter has a meaning of its own there. */
export const isOnControl = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("a, button, input, select, textarea, summary, [role=option]") !== null;

export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))
  );
}
