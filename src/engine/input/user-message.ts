/** A message of the user, as clients see it and as the model is told. */
import { extname } from "node:path";
import { readRegularFile } from "../../base/read-regular-file.ts";
import type { ContentItem, ResponseItem, ThreadItem, UserInput } from "../../protocol/generated/types.ts";
import { MAX_IMAGE_BYTES, prepareImage, prepareImageBytes } from "../../tools/view-image/prepare-image.ts";
import { AUDIO_TYPES, MAX_AUDIO_BYTES, prepareAudio } from "./prepare-media.ts";

export function toUserItem(
  id: string,
  clientId: string | null,
  input: readonly UserInput[],
  atMs: number,
): Extract<ThreadItem, { type: "userMessage" }> {
  return {
    type: "userMessage",
    id,
    clientId,
    content: input.map(withAllMembers),
    startedAtMs: atMs,
    completedAtMs: null,
  };
}

/** Members that a client may leave out are always there in what it is told. */
export function withAllMembers(part: UserInput): UserInput {
  if (part.type === "text") return { ...part, text_elements: part.text_elements ?? [] };
  if (part.type === "image" || part.type === "localImage") return { ...part, detail: part.detail ?? null };
  return part;
}

/** The input in one line, as lists of threads show it; null when it has nothing to show. */
export function previewOf(input: readonly UserInput[]): string | null {
  const text = input
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("")
    .trim();
  if (text !== "") return text;
  if (input.some(({ type }) => type === "image" || type === "localImage")) return "[Image]";
  return input.some(({ type }) => type === "audio" || type === "localAudio") ? "[Audio]" : null;
}

/** Null for an input of nothing. Files that cannot be read are told to the model; skills and mentions are told apart. */
export async function toModelMessage(input: readonly UserInput[]): Promise<ResponseItem | null> {
  if (input.length === 0) return null;
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

/** Images and recordings are counted apart, wherever they come from. */
interface Counts {
  readonly images: number;
  readonly audios: number;
}

async function toContent(part: UserInput, counts: Counts): Promise<ContentItem[]> {
  switch (part.type) {
    case "text":
      return [say(part.text)];
    case "image":
      return [toImage(part)];
    case "localImage":
      return readLocalImage(part, counts.images);
    case "audio":
      return [orText(prepareAudio(part.url), (audio_url) => ({ type: "input_audio", audio_url }))];
    case "localAudio":
      return readLocalAudio(part.path, counts.audios);
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

async function readLocalImage(
  { path, detail: wanted }: Extract<UserInput, { type: "localImage" }>,
  number: number,
): Promise<ContentItem[]> {
  const file = await readMedia(path, "image", MAX_IMAGE_BYTES);
  if (file.kind === "unreadable") return [say(file.text)];
  const detail = wanted ?? "high";
  const image = prepareImageBytes(file.bytes, detail);
  return [
    say(`<image name=[Image #${number}] path="${path}">`),
    orText(image, (image_url) => ({ type: "input_image", image_url, detail })),
    say("</image>"),
  ];
}

async function readLocalAudio(path: string, number: number): Promise<ContentItem[]> {
  const file = await readMedia(path, "audio", MAX_AUDIO_BYTES);
  if (file.kind === "unreadable") return [say(file.text)];
  const type = AUDIO_TYPES.get(extname(path).toLowerCase());
  if (type === undefined) {
    return [
      say(
        `Codex cannot attach audio at \`${path}\`: unsupported audio format; use wav, mp3, m4a, webm, or ogg.`,
      ),
    ];
  }
  return [
    say(`<audio name=[Audio #${number}] path="${path}">`),
    { type: "input_audio", audio_url: `data:${type};base64,${file.bytes.toString("base64")}` },
    say("</audio>"),
  ];
}

type MediaFile =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "unreadable"; readonly text: string };

async function readMedia(path: string, what: "image" | "audio", maxBytes: number): Promise<MediaFile> {
  const read = await readRegularFile(path, { maxBytes });
  if (read.kind === "read") return { kind: "bytes", bytes: read.bytes };
  const reason = read.reason === "tooLarge" ? `it has more than ${maxBytes} bytes` : read.message;
  return { kind: "unreadable", text: `Codex could not read the local ${what} at \`${path}\`: ${reason}` };
}

type Prepared =
  | { readonly kind: "omitted"; readonly text: string }
  | { readonly kind: "image" | "audio"; readonly url: string };

function orText(media: Prepared, toItem: (url: string) => ContentItem): ContentItem {
  return media.kind === "omitted" ? say(media.text) : toItem(media.url);
}

function say(text: string): ContentItem {
  return { type: "input_text", text };
}
