// Key paths as clients write them: `a.b`, with quotes around segments that contain dots.

export type ParsedKeyPath = { ok: true; path: string[] } | { ok: false; message: string };

/** Bare segments may contain anything but dots and a leading quote, as in the peer: `plugins.a@b`. */
export function parseKeyPath(text: string): ParsedKeyPath {
  if (text.trim() === "") return { ok: false, message: "keyPath must not be empty" };
  const path: string[] = [];
  let segment = "";
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"' && quoted) {
      quoted = false;
    } else if (character === '"') {
      if (segment !== "") return { ok: false, message: "invalid quoted keyPath segment" };
      quoted = true;
    } else if (character === "\\" && quoted) {
      index += 1;
      if (index === text.length) return { ok: false, message: "unterminated escape in keyPath" };
      segment += text.charAt(index);
    } else if (character === "." && !quoted) {
      if (segment === "") return { ok: false, message: "keyPath segments must not be empty" };
      path.push(segment);
      segment = "";
    } else {
      segment += character;
    }
  }
  if (quoted) return { ok: false, message: "unterminated quoted keyPath segment" };
  if (segment === "") return { ok: false, message: "keyPath segments must not be empty" };
  return { ok: true, path: [...path, segment] };
}
