/** Makes an image ready for the model: a data URL that says what it holds, or a word about why there is none. */
import type { ImageDetail } from "../../protocol/generated/types.ts";
import { imageFormat } from "./image-format.ts";

/** The largest image that a provider is sent. */
export const MAX_IMAGE_BYTES = 50 * 1024 * 1024;

export type PreparedImage =
  | { readonly kind: "image"; readonly url: string }
  /** What the model is told in its place. */
  | { readonly kind: "omitted"; readonly text: string };

const UNREADABLE = omit("it could not be processed");
const TOO_LARGE = omit("it exceeded the supported size limit; use a smaller image");
const REMOTE = omit("remote image URLs are not supported");
const LOW_DETAIL = omit("detail 'low' is not supported; use 'high', 'original', or 'auto'");

/** An address that is neither a data URL nor one of the web is left to the provider. */
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

/** The bytes stay as they are: providers scale images down by themselves. */
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
