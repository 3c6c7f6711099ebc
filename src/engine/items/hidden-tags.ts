/** Takes out of streamed text what stands between two tags, wherever they are, also when a tag comes in pieces. */

export interface HiddenTags {
  /** The text that can be shown by now. */
  push(text: string): string;
  /** What was held back because it might have begun a tag. A tag that is still open ends here. */
  finish(): string;
  /** What stood between tags, so far. */
  readonly found: readonly string[];
}

export function createHiddenTags(open: string, close: string): HiddenTags {
  const found: string[] = [];
  const first = open.slice(0, 1);
  let held = "";
  let inside = false;

  function push(text: string): string {
    // Almost every piece of a stream is plain text.
    if (held === "" && !inside && !text.includes(first)) return text;
    held += text;
    let shown = "";
    for (;;) {
      const tag = inside ? close : open;
      const at = held.indexOf(tag);
      if (at === -1) break;
      const before = held.slice(0, at);
      if (inside) found.push(before);
      else shown += before;
      held = held.slice(at + tag.length);
      inside = !inside;
    }
    if (inside) return shown;
    const kept = overlap(held, open);
    shown += held.slice(0, held.length - kept);
    held = held.slice(held.length - kept);
    return shown;
  }

  function finish(): string {
    const rest = held;
    held = "";
    if (!inside) return rest;
    inside = false;
    found.push(rest);
    return "";
  }

  return { push, finish, found };
}

/** How much of the end of the text is the beginning of the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
