/** Reads image and audio files that user input refers to by path. */
import { extname } from "node:path";
import { readRegularFile } from "../../base/read-regular-file.ts";
import type { UserInput } from "../../protocol/generated/types.ts";
import { MAX_IMAGE_BYTES, prepareImageBytes } from "../../tools/view-image/prepare-image.ts";
import { AUDIO_TYPES, MAX_AUDIO_BYTES } from "./prepare-media.ts";

export type LocalMedia = Extract<UserInput, { readonly type: "localImage" | "localAudio" }>;

export type ReadMedia =
  | { readonly kind: "read"; readonly url: string; readonly bytes: number }
  /** The file is readable but unusable; the text replaces the media, within its tags. */
  | { readonly kind: "omitted"; readonly text: string }
  /** The text replaces the media and its tags. */
  | { readonly kind: "unreadable"; readonly text: string };

const isLocalMedia = (part: UserInput): part is LocalMedia =>
  part.type === "localImage" || part.type === "localAudio";

/** Reads a file as a data URL; one with more than `maxSize` bytes is unreadable. */
export async function readLocalMedia(
  part: LocalMedia,
  maxSize = Number.POSITIVE_INFINITY,
): Promise<ReadMedia> {
  const { path } = part;
  const { word, limit } = KINDS[part.type];
  const maxBytes = Math.min(limit, maxSize);
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
  localImage: { word: "image", limit: MAX_IMAGE_BYTES },
  localAudio: { word: "audio", limit: MAX_AUDIO_BYTES },
} as const;

/** The limit of all files of one input: as base64 they fit into one message, with some text. */
const MAX_SNAPSHOT_BYTES = 40 * 1024 * 1024;

/**
 * Replaces file paths in input with the content of the files, so that input that waits in a queue does not change. The path
 * of an unreadable or unusable file stays; the model receives the reason when its turn runs.
 */
export async function snapshotInput(input: readonly UserInput[]): Promise<UserInput[]> {
  const parts: UserInput[] = [];
  let remaining = MAX_SNAPSHOT_BYTES;
  for (const part of input) {
    const media = isLocalMedia(part) ? await readLocalMedia(part, remaining) : null;
    if (media?.kind !== "read") {
      parts.push(part);
      continue;
    }
    remaining -= media.bytes;
    const { url } = media;
    parts.push(
      part.type === "localImage"
        ? { type: "image", url, detail: part.detail ?? null }
        : { type: "audio", url },
    );
  }
  return parts;
}
