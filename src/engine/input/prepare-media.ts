/** Validates images and audio in items that come from tools and clients. */
import type {
  ContentItem,
  FunctionCallOutputContentItem,
  InputModality,
  ResponseItem,
} from "../../protocol/generated/types.ts";
import { prepareImage } from "../../tools/view-image/prepare-image.ts";

type Part = ContentItem | FunctionCallOutputContentItem;

/** Replaces media that the provider would reject with a text, before the item is stored. */
export function prepareMedia(item: ResponseItem): ResponseItem {
  return mapParts(item, (part) => {
    if (part.type === "input_image" && "image_url" in part) {
      const image = prepareImage(part.image_url, part.detail);
      return image.kind === "image" ? { ...part, image_url: image.url } : textPart(image.text);
    }
    if (part.type !== "input_audio") return part;
    const audio = prepareAudio(part.audio_url);
    return audio.kind === "audio" ? part : textPart(audio.text);
  });
}

/** Replaces media that the model does not support with a text, before the item is sent; the history stays unchanged. */
export function omitUnsupported(item: ResponseItem, modalities: readonly InputModality[]): ResponseItem {
  return mapParts(item, (part) => {
    const kind = MODALITIES[part.type];
    if (kind === undefined || modalities.includes(kind)) return part;
    return textPart(`${kind} content omitted because you do not support ${kind} input`);
  });
}

const MODALITIES: Readonly<Partial<Record<Part["type"], InputModality>>> = {
  input_image: "image",
  input_audio: "audio",
};

function textPart(text: string): { type: "input_text"; text: string } {
  return { type: "input_text", text };
}

/** Returns the same item where nothing changes. */
function mapParts(
  item: ResponseItem,
  change: <P extends Part>(part: P) => P | ReturnType<typeof textPart>,
): ResponseItem {
  if (item.type === "message") {
    if (!item.content.some(isMedia)) return item;
    const content = item.content.map((part) => change(part));
    return isSame(content, item.content) ? item : { ...item, content };
  }
  if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") return item;
  if (typeof item.output === "string" || !item.output.some(isMedia)) return item;
  const output = item.output.map((part) => change(part));
  return isSame(output, item.output) ? item : { ...item, output };
}

/** A cheap test that skips most items, which are text. */
function isMedia({ type }: Part): boolean {
  return type === "input_image" || type === "input_audio";
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.every((part, index) => part === b[index]);
}

/** Larger recordings are rejected by providers. */
export const MAX_AUDIO_BYTES = 25 * 1024 * 1024;

/** MIME types by file extension. */
export const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  [".wav", "audio/wav"],
  [".mp3", "audio/mpeg"],
  [".m4a", "audio/mp4"],
  [".webm", "audio/webm"],
  [".ogg", "audio/ogg"],
]);

export type PreparedAudio =
  | { readonly kind: "audio"; readonly url: string }
  /** The text replaces the media for the model. */
  | { readonly kind: "omitted"; readonly text: string };

const KNOWN = /^(?:audio|video)\/(?:x-)?(?:wav|wave|mpeg|mp3|mp4|m4a|webm|ogg)$/i;

/** Accepts a data URL with a supported audio type; anything else becomes a text with the reason. */
export function prepareAudio(url: string): PreparedAudio {
  const match = /^data:([^,;]*)((?:;[^,;]*)*),/i.exec(url);
  const encoded = match === null ? "" : url.slice(match[0].length);
  const [, type = "", parameters = ""] = match ?? [];
  if (!/;base64(?:;|$)/i.test(parameters) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) {
    return omitted("it could not be processed");
  }
  if (!KNOWN.test(type)) return omitted("its format is not supported; use wav, mp3, m4a, webm, or ogg");
  if (Buffer.byteLength(encoded, "base64") > MAX_AUDIO_BYTES) {
    return omitted("it exceeded the supported size limit; use a smaller audio file");
  }
  return { kind: "audio", url };
}

function omitted(reason: string): PreparedAudio {
  return { kind: "omitted", text: `audio content omitted because ${reason}` };
}
