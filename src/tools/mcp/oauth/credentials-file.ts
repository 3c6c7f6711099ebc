/**
 * The stored logins to MCP servers, in a file of the home that Codex also reads and writes. Unknown entries
 * are preserved. The file is replaced atomically, and only if no other process has changed it meanwhile.
 */

import { createHash } from "node:crypto";
import { chmod } from "node:fs/promises";
import { basename } from "node:path";
import { isObject, type JsonObject } from "../../../base/json-object.ts";
import { readRegularFile } from "../../../base/read-regular-file.ts";
import { replaceFile } from "../../../config/config-file.ts";

export interface Credentials {
  readonly serverName: string;
  readonly serverUrl: string;
  /** The issuer of the tokens; no other server may receive the refresh token. */
  readonly issuer: string | null;
  readonly clientId: string;
  readonly accessToken: string;
  /** In milliseconds since the Unix epoch; null where unknown. */
  readonly expiresAt: number | null;
  readonly refreshToken: string | null;
  readonly scopes: readonly string[];
}

export interface CredentialsFile {
  load(serverName: string, serverUrl: string): Promise<Credentials | null>;
  save(credentials: Credentials): Promise<void>;
}

export interface CredentialsFileOptions {
  readonly path: string;
  /** For the names of temporary files. */
  readonly createId: () => string;
}

export const MAX_CREDENTIALS_BYTES = 4 * 1024 * 1024;
const MODE = 0o600;
/** Each lost race means that another process has written, which is rare. */
const MAX_TRIES = 50;

export function openCredentialsFile({ path, createId }: CredentialsFileOptions): CredentialsFile {
  let saving: Promise<void> = Promise.resolve();

  async function write(credentials: Credentials): Promise<void> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const text = await readText(path);
      const entries = { ...parse(path, text) };
      entries[keyOf(credentials.serverName, credentials.serverUrl)] = toEntry(credentials);
      const sorted = Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
      // The new file inherits the mode of the old one.
      if (text !== undefined) await chmod(path, MODE);
      const temporary = `${basename(path)}.${createId()}`;
      if ((await replaceFile({ target: path, text }, JSON.stringify(sorted), temporary)) === "replaced")
        return;
    }
    throw new Error(`${path} is changed by others all the time; the login could not be stored`);
  }

  return {
    async load(serverName, serverUrl) {
      const entries = Object.values(parse(path, await readText(path)));
      const found = entries.filter(isObject).find((entry) => isFor(entry, serverName, serverUrl));
      return found === undefined ? null : fromEntry(found);
    },
    save(credentials) {
      const saved = saving.then(() => write(credentials));
      saving = saved.catch(() => {});
      return saved;
    },
  };
}

/** The key of a login: readable, and distinct per URL. */
export function keyOf(serverName: string, serverUrl: string): string {
  const subject = JSON.stringify({ type: "http", url: serverUrl, headers: {} });
  return `${serverName}|${createHash("sha256").update(subject).digest("hex").slice(0, 16)}`;
}

async function readText(path: string): Promise<string | undefined> {
  const read = await readRegularFile(path, { maxBytes: MAX_CREDENTIALS_BYTES, from: "own" });
  if (read.kind === "read") return read.bytes.toString("utf8");
  if (read.reason === "missing") return undefined;
  throw new Error(`the logins cannot be read from ${path}: ${read.message}`);
}

function parse(path: string, text: string | undefined): JsonObject {
  const entries = text === undefined ? {} : tryParse(text);
  if (isObject(entries)) return entries;
  throw new Error(
    `failed to parse credentials file at ${path}: it is not a JSON object; repair or remove it, then log in again`,
  );
}

/** Null for invalid JSON. The error is dropped, because its message quotes the text, which may be a token. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isFor(entry: JsonObject, serverName: string, serverUrl: string): boolean {
  return (
    entry["server_name"] === serverName &&
    entry["server_url"] === serverUrl &&
    // Such a login belongs to another machine.
    entry["executor_owned"] !== true
  );
}

function fromEntry(entry: JsonObject): Credentials | null {
  const text = (key: string) => (typeof entry[key] === "string" ? entry[key] : null);
  const [serverName, serverUrl] = [text("server_name"), text("server_url")];
  const [clientId, accessToken] = [text("client_id"), text("access_token")];
  if (serverName === null || serverUrl === null || clientId === null || accessToken === null) return null;
  const { expires_at: expiresAt, scopes } = entry;
  return {
    serverName,
    serverUrl,
    issuer: text("issuer"),
    clientId,
    accessToken,
    expiresAt: typeof expiresAt === "number" ? expiresAt : null,
    refreshToken: text("refresh_token"),
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [],
  };
}

function toEntry(credentials: Credentials): JsonObject {
  const { issuer } = credentials;
  return {
    server_name: credentials.serverName,
    server_url: credentials.serverUrl,
    ...(issuer !== null && { issuer }),
    client_id: credentials.clientId,
    access_token: credentials.accessToken,
    expires_at: credentials.expiresAt,
    refresh_token: credentials.refreshToken,
    scopes: credentials.scopes,
  };
}
