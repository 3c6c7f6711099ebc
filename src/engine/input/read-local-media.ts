/** Images and recordings that input names by a path, as the model is sent them. */
import { extname } from "node:path";
import { readRegularFile } from "../../base/read-regular-file.ts";
import type { UserInput } from "../../protocol/generated/types.ts";
import { MAX_IMAGE_BYTES, prepareImageBytes } from "../../tools/view-image/prepare-image.ts";
import { AUDIO_TYPES, MAX_AUDIO_BYTES } from "./prepare-media.ts";

export type LocalMedia = Extract<UserInput, { readonly type: "localImage" | "localAudio" }>;

export type ReadMedia =
  | { readonly kind: "read"; readonly url: string; readonly bytes: number }
  /** It is there, and is nothing that a model is shown; the text says so in its place. */
  | { readonly kind: "omitted"; readonly text: string }
  /** The text stands for all of it. */
  | { readonly kind: "unreadable"; readonly text: string };

export const isLocalMedia = (part: UserInput): part is LocalMedia =>
  part.type === "localImage" || part.type === "localAudio";

/** One with more bytes than there is room for is not read. */
export async function readLocalMedia(part: LocalMedia, room = Number.POSITIVE_INFINITY): Promise<ReadMedia> {
  const { path } = part;
  const { word, most } = KINDS[part.type];
  const maxBytes = Math.min(most, room);
  const read = await readRegularFile(path, { maxBytes });
  if (read.kind === "refused") {
    const reason = read.reason === "tooLarge" ? `it has more than ${maxBytes} bytes` : read.message;
    return { kind: "unreadable", text: `Codex could not read the local ${word} at \`${path}\`: ${reason}` };
  }
  const { bytes } = read;
  if (part.type === "localImage") {
    const image = prepareImageBytes(bytes, part.detail);
    return image.kind === "omitted" ? image : { kind: "read", url: image.url, bytes: bytes.length };
  }
  const type = AUDIO_TYPES.get(extname(path).toLowerCase());
  if (type === undefined) {
    const text = `Codex cannot attach audio at \`${path}\`: unsupported audio format; use wav, mp3, m4a, webm, or ogg.`;
    return { kind: "unreadable", text };
  }
  return { kind: "read", url: `data:${type};base64,${bytes.toString("base64")}`, bytes: bytes.length };
}

const KINDS = {
  localImage: { word: "image", most: MAX_IMAGE_BYTES },
  localAudio: { word: "audio", most: MAX_AUDIO_BYTES },
} as const;
