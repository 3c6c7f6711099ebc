/** Images that are sent with a message. */
import { Icon } from "../ui/icon.tsx";
import { InlineImage } from "./inline-image.tsx";

const MAX_BYTES = 8 * 1024 * 1024;
const TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export async function readImages(files: Iterable<File>): Promise<{ urls: string[]; fault: string | null }> {
  const urls: string[] = [];
  let fault: string | null = null;
  for (const file of files) {
    if (!TYPES.has(file.type)) fault = `${file.name} is no PNG, JPEG, GIF or WebP image.`;
    else if (file.size > MAX_BYTES) fault = `${file.name} is larger than 8 MB.`;
    else urls.push(await toDataUrl(file));
  }
  return { urls, fault };
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : "");
    reader.onerror = () => reject(new Error(`${file.name} could not be read`));
    reader.readAsDataURL(file);
  });
}

export function Attachments({ urls, onRemove }: { urls: readonly string[]; onRemove: (at: number) => void }) {
  if (urls.length === 0) return null;
  return (
    <ul class="row wrap" aria-label="Attached images">
      {urls.map((url, index) => (
        <li key={index} class="attached">
          <InlineImage url={url} />
          <button
            class="btn plain icon"
            type="button"
            aria-label={`Remove image ${index + 1}`}
            onClick={() => onRemove(index)}
          >
            <Icon name="x" />
          </button>
        </li>
      ))}
    </ul>
  );
}
