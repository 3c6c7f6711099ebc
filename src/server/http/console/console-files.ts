/** The files of the console, which the build has written: read once, and found by their path. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface ConsoleFile {
  readonly contentType: string;
  /** Differs for each content. */
  readonly etag: string;
  /** Whether the name contains a hash of the content, so that the content never changes. */
  readonly isHashed: boolean;
  readonly plain: Buffer;
  /** By the name of the encoding; absent where the build made none. */
  readonly encoded: ReadonlyMap<ContentEncoding, Buffer>;
}

export type ContentEncoding = "br" | "gzip";

/** The extension of a compressed file. The best encoding comes first. */
export const ENCODINGS: readonly (readonly [ContentEncoding, string])[] = [
  ["br", ".br"],
  ["gzip", ".gz"],
];

/** Folders of the page, besides the one that contains it. */
export const FOLDERS: readonly string[] = ["assets", "icons"];

/** The page has far fewer. */
const MAX_FILES = 512;

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  webmanifest: "application/manifest+json",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
};

/** The files of a folder by their path, as `/assets/index-x1.js`; null if there is no page in it. */
export async function readConsoleFiles(folder: string): Promise<ReadonlyMap<string, ConsoleFile> | null> {
  const names = await listFiles(folder);
  const known = new Set(names);
  if (!known.has("index.html")) return null;
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const contentType = TYPES[name.slice(name.lastIndexOf(".") + 1)];
    if (contentType === undefined) continue;
    const plain = await readFile(join(folder, name));
    const encoded = new Map<ContentEncoding, Buffer>();
    for (const [encoding, extension] of ENCODINGS)
      if (known.has(name + extension)) encoded.set(encoding, await readFile(join(folder, name + extension)));
    const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
    const isHashed = name.startsWith("assets/");
    files.set(`/${name}`, { contentType, etag, isHashed, plain, encoded });
  }
  return files;
}

async function listFiles(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const part of ["", ...FOLDERS]) {
    const entries = await readdir(join(folder, part), { withFileTypes: true }).catch(() => []);
    for (const entry of entries)
      if (entry.isFile()) names.push(part === "" ? entry.name : `${part}/${entry.name}`);
  }
  return names.slice(0, MAX_FILES);
}
