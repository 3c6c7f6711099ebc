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
  /** The end of the text so far, as far as it may be the beginning of a tag. */
  let held = "";
  /** What stands behind a tag that is open. */
  let inner = "";
  let inside = false;

  function push(text: string): string {
    // Almost every piece of a stream is plain text.
    if (held === "" && !inside && !text.includes(first)) return text;
    let rest = held + text;
    let shown = "";
    for (;;) {
      const tag = inside ? close : open;
      const at = rest.indexOf(tag);
      const end = at === -1 ? rest.length - overlap(rest, tag) : at;
      if (inside) inner += rest.slice(0, end);
      else shown += rest.slice(0, end);
      if (at === -1) {
        held = rest.slice(end);
        return shown;
      }
      rest = rest.slice(at + tag.length);
      if (inside) closeTag("");
      else inside = true;
    }
  }

  function closeTag(last: string): void {
    found.push(inner + last);
    inner = "";
    inside = false;
  }

  function finish(): string {
    const rest = held;
    held = "";
    if (!inside) return rest;
    closeTag(rest);
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
