/**
 * Headers that a program of the user prints for an MCP server, for gateways whose tokens do not last. They go with
 * every request to that server's origin, also with those of a login, and to nobody else.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Environment } from "../../../base/environment.ts";
import { osErrorText } from "../../../base/errors.ts";
import { isObject, type JsonObject } from "../../../base/json-object.ts";
import type { NetworkFetch } from "../../../base/network/network-fetch.ts";
import { createDeferred, once } from "../../../base/tasks.ts";
import { scanScript } from "../../../policy/shell/scan-script.ts";
import { createLocalHost } from "../../../process/local-host.ts";
import { findSandboxWritableFile, sandboxWritableReason } from "../../../sandbox/writable-paths.ts";
import { withoutWritten } from "../../exec/shell.ts";
import { type HeadersHelper, type HttpServer, usualEnvironment } from "./server-config.ts";

export interface HelperPlace {
  readonly env: Environment;
  readonly clock: Clock;
  /** Whether a file may be the work of a confined command. */
  readonly isSandboxWritable: (path: string) => boolean;
}

const TIMEOUT_MS = 10_000;
export const MAX_PRINTED_BYTES = 64 * 1024;
/** A script of more is not judged, and not run. */
const MAX_TOKENS = 10_000;
const SHELL = "/bin/sh";

/** They belong to the protocol, or to a login. */
const RESERVED = new Set([
  "accept",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "host",
  "keep-alive",
  "last-event-id",
  "mcp-protocol-version",
  "mcp-session-id",
  "origin",
  "proxy-connection",
  "referer",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The program is run once, with the first request that needs it. */
export function withHelperHeaders(send: NetworkFetch, server: HttpServer, place: HelperPlace): NetworkFetch {
  const { helper, url: serverUrl } = server;
  if (helper === null) return send;
  const { origin } = new URL(serverUrl);
  const printed = once(() => printHeaders(helper, place));
  return async (url, init = {}) => {
    if (new URL(url).origin !== origin) return send(url, init);
    const headers = new Headers(init.headers);
    for (const [name, value] of await printed.get()) headers.set(name, value);
    // Whoever follows a redirect asks anew, and the next origin may be another.
    return send(url, { ...init, headers, redirect: "manual" });
  };
}

/** Throws, with words for the user, where there are none to be had. */
export async function printHeaders(helper: HeadersHelper, place: HelperPlace): Promise<Headers> {
  const { env: own, isSandboxWritable } = place;
  const env = usualEnvironment(own);
  if (helper.workspacePrograms === "refuse") refuseSandboxWritable(helper, env["PATH"], isSandboxWritable);
  const given = helper.workspacePrograms === "run" ? env : withoutWritten(env, isSandboxWritable);
  return parseHeaders(await run(helper, given, place));
}

/** It would run outside of every sandbox what was perhaps written inside of one. */
function refuseSandboxWritable(
  { command, cwd }: HeadersHelper,
  path: string | undefined,
  isSandboxWritable: HelperPlace["isSandboxWritable"],
): void {
  const script = scanScript(command, MAX_TOKENS);
  if (script === null) throw fault("is too long to be judged: put it into a file");
  for (const { words } of script.commands) {
    const written = findSandboxWritableFile(words, { cwd, path, isSandboxWritable });
    if (written !== null) throw fault(`was not run: ${sandboxWritableReason(written)}`);
  }
}

async function run(
  { command, cwd }: HeadersHelper,
  env: Readonly<Record<string, string>>,
  { clock }: HelperPlace,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const isFull = createDeferred<void>();
  const spec = { argv: [SHELL, "-c", command], cwd, env };
  const started = await createLocalHost().start(spec, (chunk, stream) => {
    if (stream === "stderr") return;
    bytes += chunk.byteLength;
    if (bytes <= MAX_PRINTED_BYTES) chunks.push(chunk);
    else isFull.resolve();
  });
  if (started.kind === "failed") throw fault(`failed to start: ${osErrorText(started.error)}`);
  const { process } = started;
  const isLate = createDeferred<void>();
  const cancel = clock.after(TIMEOUT_MS, isLate.resolve);
  const end = await Promise.race([
    process.closed.then(() => "closed" as const),
    isFull.promise.then(() => "full" as const),
    isLate.promise.then(() => "late" as const),
  ]);
  cancel();
  process.release();
  if (end === "late") throw fault(`timed out after ${TIMEOUT_MS / 1000} seconds`);
  if (end === "full" || bytes > MAX_PRINTED_BYTES)
    throw fault(`output exceeds ${MAX_PRINTED_BYTES / 1024} KiB`);
  const { code, signal } = await process.exited;
  if (code !== 0) throw fault(`exited with ${code === null ? `signal ${signal}` : `status ${code}`}`);
  return Buffer.concat(chunks).toString("utf8");
}

/** The texts themselves are not told, because they are secrets. */
export function parseHeaders(text: string): Headers {
  const printed = parseObject(text);
  const headers = new Headers();
  for (const [name, value] of Object.entries(printed)) {
    if (typeof value !== "string") throw fault("must output a JSON object of strings");
    if (RESERVED.has(name.toLowerCase())) throw fault("returned a reserved header");
    try {
      if (headers.has(name)) throw fault("returned duplicate header names");
      headers.set(name, value);
    } catch (error) {
      if (error instanceof TypeError) throw fault("returned what is no header");
      throw error;
    }
  }
  return headers;
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below, without the text.
  }
  throw fault("must output a JSON object of strings");
}

function fault(what: string): Error {
  return new Error(`MCP HTTP headers helper ${what}`);
}
