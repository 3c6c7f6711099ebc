/** An image of a message, from its data: nothing is loaded from other hosts. */
import { useEffect, useState } from "preact/hooks";
import { readImageData } from "../text/image-data.ts";

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

function toBlob(url: string): Blob | null {
  const image = readImageData(url);
  if (image === null) return null;
  const bytes = Uint8Array.from(atob(image.base64), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: image.type });
}
