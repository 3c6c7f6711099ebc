/**
 * Prepares an image for the model: a data URL with its media type, or a text with the reason why it is
 * omitted.
 */
import type { ImageDetail } from "../../protocol/generated/types.ts";

/** The largest image that is sent to a provider. */
export const MAX_IMAGE_BYTES = 50 * 1024 * 1024;

export type PreparedImage =
  | { readonly kind: "image"; readonly url: string }
  /** The text sent to the model in place of the image. */
  | { readonly kind: "omitted"; readonly text: string };

const UNREADABLE = omit("it could not be processed");
const TOO_LARGE = omit("it exceeded the supported size limit; use a smaller image");
const REMOTE = omit("remote image URLs are not supported");
const LOW_DETAIL = omit("detail 'low' is not supported; use 'high', 'original', or 'auto'");

/** A URL that is neither a data URL nor remote is passed to the provider unchanged. */
export function prepareImage(url: string, detail: ImageDetail | null | undefined): PreparedImage {
  if (/^https?:/i.test(url)) return REMOTE;
  if (!/^data:/i.test(url)) return { kind: "image", url };
  if (detail === "low") return LOW_DETAIL;
  const comma = url.indexOf(",");
  const isBase64 = comma !== -1 && /;base64(?:;|$)/i.test(url.slice(0, comma));
  const encoded = url.slice(comma + 1);
  if (!isBase64 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 !== 0) return UNREADABLE;
  return prepareImageBytes(Buffer.from(encoded, "base64"), detail);
}

/** The bytes are unchanged, because providers scale images down themselves. */
export function prepareImageBytes(bytes: Uint8Array, detail: ImageDetail | null | undefined): PreparedImage {
  if (detail === "low") return LOW_DETAIL;
  if (bytes.length > MAX_IMAGE_BYTES) return TOO_LARGE;
  const format = imageFormat(bytes);
  if (format === null) return UNREADABLE;
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { kind: "image", url: `data:${format.mime};base64,${base64}` };
}

function omit(reason: string): PreparedImage {
  return { kind: "omitted", text: `image content omitted because ${reason}` };
}

/** A supported image format, detected by content and never by file name. */
export interface ImageFormat {
  readonly mime: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
}

/** Null for other formats, and for a truncated image. */
export function imageFormat(bytes: Uint8Array): ImageFormat | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = FORMATS.find(({ isComplete }) => isComplete(data));
  return format === undefined ? null : { mime: format.mime };
}

interface Recognized extends ImageFormat {
  readonly isComplete: (data: Buffer) => boolean;
}

const PNG_START = Buffer.from("89504e470d0a1a0a", "hex");
const PNG_END = Buffer.from("0000000049454e44ae426082", "hex");

const FORMATS: readonly Recognized[] = [
  {
    mime: "image/png",
    isComplete: (data) =>
      startsWith(data, PNG_START) && has(data, "IHDR", 12) && data.lastIndexOf(PNG_END) > PNG_START.length,
  },
  {
    mime: "image/jpeg",
    isComplete: (data) =>
      startsWith(data, Buffer.from("ffd8ff", "hex")) && data.lastIndexOf(Buffer.from("ffd9", "hex")) > 3,
  },
  {
    mime: "image/gif",
    isComplete: (data) => (has(data, "GIF87a", 0) || has(data, "GIF89a", 0)) && data.lastIndexOf(0x3b) > 12,
  },
  {
    mime: "image/webp",
    isComplete: (data) =>
      has(data, "RIFF", 0) &&
      has(data, "WEBP", 8) &&
      data.length >= 20 &&
      data.readUInt32LE(4) + 8 <= data.length,
  },
];

function startsWith(data: Buffer, start: Buffer): boolean {
  return data.subarray(0, start.length).equals(start);
}

function has(data: Buffer, text: string, at: number): boolean {
  return data.toString("latin1", at, at + text.length) === text;
}
