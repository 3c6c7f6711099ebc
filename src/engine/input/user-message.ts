/** Converts a user message to its wire item and to a message for the model. */
import type { Awaitable } from "../../base/awaitable.ts";
import type { ContentItem, ResponseItem, ThreadItem, UserInput } from "../../protocol/generated/types.ts";
import { prepareImage } from "../../tools/view-image/prepare-image.ts";
import { prepareAudio } from "./prepare-media.ts";
import { type LocalMedia, readLocalMedia } from "./read-local-media.ts";

/** The input of a message, and who sent it. */
export interface SentInput {
  readonly input: readonly UserInput[];
  readonly clientUserMessageId: string | null;
  /** The subject of the sender's token; null without one. */
  readonly sentBy: string | null;
}

export function toUserItem(
  id: string,
  { input, clientUserMessageId, sentBy }: SentInput,
  atMs: number,
): Extract<ThreadItem, { type: "userMessage" }> {
  return {
    type: "userMessage",
    id,
    clientId: clientUserMessageId,
    content: input.map(withAllMembers),
    ...(sentBy !== null && { sentBy }),
    startedAtMs: atMs,
    completedAtMs: null,
  };
}

/** Adds the optional members that a client may omit, because the wire item always has them. */
export function withAllMembers(part: UserInput): UserInput {
  if (part.type === "text") return { ...part, text_elements: part.text_elements ?? [] };
  if (part.type === "image" || part.type === "localImage") return { ...part, detail: part.detail ?? null };
  return part;
}

/** A one-line preview for lists of threads; null where the input has no text, image or audio. */
export function inputPreview(input: readonly UserInput[]): string | null {
  const text = input
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("")
    .trim();
  if (text !== "") return text;
  if (input.some(({ type }) => type === "image" || type === "localImage")) return "[Image]";
  return input.some(({ type }) => type === "audio" || type === "localAudio") ? "[Audio]" : null;
}

/** Null for empty input. An unreadable file becomes a text for the model; skills and mentions are sent separately. */
export function toModelMessage(input: readonly UserInput[]): Awaitable<ResponseItem | null> {
  if (input.length === 0) return null;
  const texts = input.filter((part) => part.type === "text");
  if (texts.length < input.length) return readModelMessage(input);
  return { type: "message", role: "user", content: texts.map(({ text }) => textPart(text)) };
}

async function readModelMessage(input: readonly UserInput[]): Promise<ResponseItem> {
  const content: ContentItem[] = [];
  let images = 0;
  let audios = 0;
  for (const part of input) {
    if (part.type === "image" || part.type === "localImage") images += 1;
    if (part.type === "audio" || part.type === "localAudio") audios += 1;
    content.push(...(await toContent(part, { images, audios })));
  }
  return { type: "message", role: "user", content };
}

/** Numbers images and audio separately, local and remote ones alike. */
interface Counts {
  readonly images: number;
  readonly audios: number;
}

async function toContent(part: UserInput, counts: Counts): Promise<ContentItem[]> {
  switch (part.type) {
    case "text":
      return [textPart(part.text)];
    case "image":
      return [toImage(part)];
    case "localImage":
      return toLocalMedia(part, counts.images);
    case "audio":
      return [orText(prepareAudio(part.url), (audio_url) => ({ type: "input_audio", audio_url }))];
    case "localAudio":
      return toLocalMedia(part, counts.audios);
    default:
      return [];
  }
}

function toImage(part: Extract<UserInput, { type: "image" }>): ContentItem {
  const detail = part.detail ?? "high";
  if (!("url" in part)) return { type: "input_image", file_id: part.fileId, detail };
  const image = prepareImage(part.url, detail);
  return orText(image, (image_url) => ({ type: "input_image", image_url, detail }));
}

async function toLocalMedia(part: LocalMedia, number: number): Promise<ContentItem[]> {
  const media = await readLocalMedia(part);
  if (media.kind === "unreadable") return [textPart(media.text)];
  const [word, label] = part.type === "localImage" ? ["image", "Image"] : ["audio", "Audio"];
  const toItem = (url: string): ContentItem =>
    part.type === "localImage"
      ? { type: "input_image", image_url: url, detail: part.detail ?? "high" }
      : { type: "input_audio", audio_url: url };
  return [
    textPart(`<${word} name=[${label} #${number}] path="${part.path}">`),
    orText(media, toItem),
    textPart(`</${word}>`),
  ];
}

type Prepared =
  | { readonly kind: "omitted"; readonly text: string }
  | { readonly kind: "image" | "audio" | "read"; readonly url: string };

function orText(media: Prepared, toItem: (url: string) => ContentItem): ContentItem {
  return media.kind === "omitted" ? textPart(media.text) : toItem(media.url);
}

function textPart(text: string): ContentItem {
  return { type: "input_text", text };
}
