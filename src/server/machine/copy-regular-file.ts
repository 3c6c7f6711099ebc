import { open } from "node:fs/promises";
import { openRegularFile, WRITE_FLAGS } from "../../base/open-regular-file.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * Copies content and mode. It never blocks if either path has become a pipe since it was checked;
 * `fs.copyFile` opens both paths again and would block.
 */
export async function copyRegularFile(source: string, destination: string): Promise<void> {
  const opened = await openRegularFile(source);
  if (opened.kind === "refused") throw new Error(opened.message);
  const { file: from, stats } = opened;
  try {
    const to = await open(destination, WRITE_FLAGS, stats.mode);
    try {
      const found = await to.stat();
      if (!found.isFile()) throw new Error(`${destination} is not a regular file`);
      // Truncating would destroy the content of a file that is copied onto itself.
      if (found.dev === stats.dev && found.ino === stats.ino) return;
      await to.truncate();
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await from.read(chunk, 0, chunk.length, null);
        if (bytesRead === 0) break;
        await to.writeFile(chunk.subarray(0, bytesRead));
      }
      await to.chmod(stats.mode & 0o7777);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
