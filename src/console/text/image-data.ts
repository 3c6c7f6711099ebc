/** Images from their data: nothing is loaded from other hosts, and pictures that are programs (SVG) are not drawn. */
const TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export interface DataImage {
  readonly type: string;
  readonly base64: string;
}

/** Null for anything but a `data:` address of a known type in base64. */
export function readImageData(url: string): DataImage | null {
  const [, type = "", base64 = ""] = /^data:([\w/+.-]+);base64,([\w+/=]+)$/u.exec(url) ?? [];
  return TYPES.has(type) ? { type, base64 } : null;
}
