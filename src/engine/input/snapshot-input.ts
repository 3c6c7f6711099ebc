/**
 * Input that says the same however long it waits: what it names by a path is taken into it. A file that cannot be read, or
 * is nothing that a model can be shown, stays named, and the model hears of it in its turn.
 */
import type { UserInput } from "../../protocol/generated/types.ts";
import { isLocalMedia, readLocalMedia } from "./read-local-media.ts";

/** Of all files of one input: as base64 it fits into one message, with some text. */
const MAX_SNAPSHOT_BYTES = 40 * 1024 * 1024;

export async function snapshotInput(input: readonly UserInput[]): Promise<UserInput[]> {
  const parts: UserInput[] = [];
  let room = MAX_SNAPSHOT_BYTES;
  for (const part of input) {
    const media = isLocalMedia(part) ? await readLocalMedia(part, room) : null;
    if (media?.kind !== "read") {
      parts.push(part);
      continue;
    }
    room -= media.bytes;
    const { url } = media;
    parts.push(
      part.type === "localImage"
        ? { type: "image", url, detail: part.detail ?? null }
        : { type: "audio", url },
    );
  }
  return parts;
}
