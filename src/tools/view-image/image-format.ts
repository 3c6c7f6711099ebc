/** Recognizes the images that models can be shown, by their bytes: what a file is called says nothing. */

export interface ImageFormat {
  readonly mime: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
}

/** Null for other formats, and for a file that ends before the image does. */
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
