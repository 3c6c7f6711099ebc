/** Images and recordings in items that come from elsewhere: from tools, and from clients that put them into a thread. */
import type {
  ContentItem,
  FunctionCallOutputContentItem,
  InputModality,
  ResponseItem,
} from "../../protocol/generated/types.ts";
import { prepareImage } from "../../tools/view-image/prepare-image.ts";

type Part = ContentItem | FunctionCallOutputContentItem;

/** An item before it is kept: what the provider would refuse is replaced by a word about it. */
export function prepareMedia(item: ResponseItem): ResponseItem {
  return mapParts(item, (part) => {
    if (part.type === "input_image" && "image_url" in part) {
      const image = prepareImage(part.image_url, part.detail);
      return image.kind === "image" ? { ...part, image_url: image.url } : say(image.text);
    }
    if (part.type !== "input_audio") return part;
    const audio = prepareAudio(part.audio_url);
    return audio.kind === "audio" ? part : say(audio.text);
  });
}

/** An item before it is sent: what the model cannot take is replaced by a word about it. The history keeps it. */
export function omitUnsupported(item: ResponseItem, modalities: readonly InputModality[]): ResponseItem {
  return mapParts(item, (part) => {
    const kind = MODALITIES[part.type];
    if (kind === undefined || modalities.includes(kind)) return part;
    return say(`${kind} content omitted because you do not support ${kind} input`);
  });
}

const MODALITIES: Readonly<Partial<Record<Part["type"], InputModality>>> = {
  input_image: "image",
  input_audio: "audio",
};

function say(text: string): { type: "input_text"; text: string } {
  return { type: "input_text", text };
}

/** The same item where nothing changes. */
function mapParts(
  item: ResponseItem,
  change: <P extends Part>(part: P) => P | ReturnType<typeof say>,
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

/** Most items are text, and then nothing has to be looked at more closely. */
function isMedia({ type }: Part): boolean {
  return type === "input_image" || type === "input_audio";
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.every((part, index) => part === b[index]);
}

/** The largest recording that a provider is sent. */
export const MAX_AUDIO_BYTES = 25 * 1024 * 1024;

/** By the end of a file's name. */
export const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  [".wav", "audio/wav"],
  [".mp3", "audio/mpeg"],
  [".m4a", "audio/mp4"],
  [".webm", "audio/webm"],
  [".ogg", "audio/ogg"],
]);

export type PreparedAudio =
  | { readonly kind: "audio"; readonly url: string }
  /** What the model is told in its place. */
  | { readonly kind: "omitted"; readonly text: string };

const KNOWN = /^(?:audio|video)\/(?:x-)?(?:wav|wave|mpeg|mp3|mp4|m4a|webm|ogg)$/i;

/** A data URL that says what it holds, or a word about why there is none. */
export function prepareAudio(url: string): PreparedAudio {
  const match = /^data:([^,;]*)((?:;[^,;]*)*),/i.exec(url);
  const encoded = match === null ? "" : url.slice(match[0].length);
  const [, type = "", parameters = ""] = match ?? [];
  if (!/;base64(?:;|$)/i.test(parameters) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) {
    return omit("it could not be processed");
  }
  if (!KNOWN.test(type)) return omit("its format is not supported; use wav, mp3, m4a, webm, or ogg");
  if (Buffer.byteLength(encoded, "base64") > MAX_AUDIO_BYTES) {
    return omit("it exceeded the supported size limit; use a smaller audio file");
  }
  return { kind: "audio", url };
}

function omit(reason: string): PreparedAudio {
  return { kind: "omitted", text: `audio content omitted because ${reason}` };
}
