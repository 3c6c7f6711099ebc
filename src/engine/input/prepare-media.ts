/** Images and recordings in items that come from elsewhere: from tools, and from clients that put them into a thread. */
import type {
  ContentItem,
  FunctionCallOutputContentItem,
  InputModality,
  ResponseItem,
} from "../../protocol/generated/types.ts";
import { prepareImage } from "../../tools/view-image/prepare-image.ts";
import { prepareAudio } from "./prepare-audio.ts";

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
