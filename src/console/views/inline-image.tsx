/** An image of a message, from its data: nothing is loaded from other hosts. */
import { useEffect, useState } from "preact/hooks";

const TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function InlineImage({ url }: { url: string }) {
  const [shown, setShown] = useState<string | null>(null);
  useEffect(() => {
    const blob = toBlob(url);
    if (blob === null) return;
    const address = URL.createObjectURL(blob);
    setShown(address);
    return () => URL.revokeObjectURL(address);
  }, [url]);
  if (shown === null) return <span class="chip">image</span>;
  return <img class="inline" src={shown} alt="Attached by a user" />;
}

/** Null for anything but an image of a known type in base64. */
function toBlob(url: string): Blob | null {
  const [, type = "", data = ""] = /^data:([\w/+.-]+);base64,([\w+/=]+)$/u.exec(url) ?? [];
  if (!TYPES.has(type)) return null;
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type });
}
