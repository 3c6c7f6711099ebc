/**
 * The certificate and key of a listener, reloaded when their files change. Open connections are not affected; if a new
 * pair is unusable, the old one stays in use.
 */
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { createSecureContext } from "node:tls";
import type { Clock } from "../base/clock.ts";
import { AppError, messageOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { readRegularFileSync } from "../base/read-regular-file.ts";
import { type WatchFolder, watchFolder } from "../base/watch-folder.ts";

export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface TlsFiles {
  readonly current: TlsPair;
  /** Calls the listener with each new usable pair. */
  onChange(listener: (pair: TlsPair) => void): void;
  close(): void;
}

export interface TlsFilesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clock: Pick<Clock, "after">;
  readonly log: Logger;
  readonly watch?: WatchFolder;
}

const MAX_BYTES = 1024 * 1024;
/** A renewal replaces both files within this time. */
const DEBOUNCE_MS = 500;

/** Throws an AppError if the files are not a certificate and its key. */
export function openTlsFiles(options: TlsFilesOptions): TlsFiles {
  const { certFile, keyFile, clock, log, watch = watchFolder } = options;
  const listeners: ((pair: TlsPair) => void)[] = [];
  let current = readPair(certFile, keyFile);
  let cancel: (() => void) | null = null;

  function reload(): void {
    cancel = null;
    try {
      const next = readPair(certFile, keyFile);
      if (next.cert.equals(current.cert) && next.key.equals(current.key)) return;
      current = next;
      for (const listener of listeners) listener(next);
      log.info("the certificate was replaced", { certFile });
    } catch (error) {
      log.error("the new certificate cannot be used, and the old one stays", { reason: messageOf(error) });
    }
  }

  const onError = (error: Error): void =>
    log.error("changes of the certificate are not noticed any more", { reason: error.message });
  const watches = foldersOf([certFile, keyFile]).map((folder) =>
    watch(folder, () => (cancel ??= clock.after(DEBOUNCE_MS, reload)), onError),
  );
  return {
    get current() {
      return current;
    },
    onChange: (listener) => void listeners.push(listener),
    close() {
      cancel?.();
      for (const end of watches) end();
    },
  };
}

/** Renewal tools often retarget a symlink, or replace its target, so both folders are watched. */
function foldersOf(files: readonly string[]): string[] {
  return [...new Set(files.flatMap((file) => [dirname(file), dirname(realpathSync(file))]))];
}

function readPair(certFile: string, keyFile: string): TlsPair {
  const pair = { cert: read(certFile), key: read(keyFile) };
  try {
    createSecureContext(pair);
  } catch (error) {
    const message = `${certFile} and ${keyFile} are not a certificate and its key: ${messageOf(error)}`;
    throw new AppError("transport.tls", message, { cause: error });
  }
  return pair;
}

function read(path: string): Buffer {
  const content = readRegularFileSync(path, { maxBytes: MAX_BYTES });
  if (content.kind === "read") return content.bytes;
  throw new AppError("transport.tls", `cannot read ${path}: ${content.message}`);
}
