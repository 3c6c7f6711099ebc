/**
 * Input that says the same however long it waits: what it names by a path is taken into it. A file that cannot be read, or
 * is nothing that a model can be shown, stays named, and the model hears of it in its turn.
 */
import { extname } from "node:path";
import { readRegularFile } from "../../base/read-regular-file.ts";
import type { UserInput } from "../../protocol/generated/types.ts";
import { MAX_IMAGE_BYTES, prepareImageBytes } from "../../tools/view-image/prepare-image.ts";
import { AUDIO_TYPES, MAX_AUDIO_BYTES } from "./prepare-media.ts";

/** Of all files of one input. */
const MAX_SNAPSHOT_BYTES = 64 * 1024 * 1024;

export async function snapshotInput(input: readonly UserInput[]): Promise<UserInput[]> {
  const parts: UserInput[] = [];
  let room = MAX_SNAPSHOT_BYTES;
  for (const part of input) {
    const taken = await takeFile(part, room);
    room -= taken?.bytes ?? 0;
    parts.push(taken?.part ?? part);
  }
  return parts;
}

interface TakenFile {
  readonly part: UserInput;
  readonly bytes: number;
}

async function takeFile(part: UserInput, room: number): Promise<TakenFile | null> {
  if (part.type !== "localImage" && part.type !== "localAudio") return null;
  const most = part.type === "localImage" ? MAX_IMAGE_BYTES : MAX_AUDIO_BYTES;
  const read = await readRegularFile(part.path, { maxBytes: Math.min(most, room) });
  if (read.kind === "refused") return null;
  const { bytes } = read;
  if (part.type === "localImage") {
    const detail = part.detail ?? null;
    const image = prepareImageBytes(bytes, detail);
    if (image.kind === "omitted") return null;
    return { part: { type: "image", url: image.url, detail }, bytes: bytes.length };
  }
  const type = AUDIO_TYPES.get(extname(part.path).toLowerCase());
  if (type === undefined) return null;
  const url = `data:${type};base64,${bytes.toString("base64")}`;
  return { part: { type: "audio", url }, bytes: bytes.length };
}
