import { open } from "node:fs/promises";
import { openRegularFile, WRITE_FLAGS } from "../../base/open-regular-file.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * Copies content and permissions. Neither end is waited for, should it have become a pipe since it was looked at: what
 * the system offers for copies opens both anew, and waits.
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
      // A copy of a file onto itself would begin with the loss of its content.
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
