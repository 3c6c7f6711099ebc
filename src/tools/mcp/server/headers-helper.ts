/**
 * Headers printed by a program of the user, for gateways with short-lived tokens. They are sent with every
 * request to the server's origin, including those of a login, and to no other origin.
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

export interface HelperContext {
  readonly env: Environment;
  readonly clock: Clock;
  /** Whether a sandboxed command may have written the file. */
  readonly isSandboxWritable: (path: string) => boolean;
}

const TIMEOUT_MS = 10_000;
export const MAX_PRINTED_BYTES = 64 * 1024;
/** Longer scripts are rejected without being analysed. */
const MAX_TOKENS = 10_000;
const SHELL = "/bin/sh";

/** Headers that belong to the protocol or to a login. */
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

/** The program runs once, for the first request that needs it. */
export function withHelperHeaders(
  send: NetworkFetch,
  server: HttpServer,
  context: HelperContext,
): NetworkFetch {
  const { helper, url: serverUrl } = server;
  if (helper === null) return send;
  const { origin } = new URL(serverUrl);
  const printed = once(() => printHeaders(helper, context));
  return async (url, init = {}) => {
    if (new URL(url).origin !== origin) return send(url, init);
    const headers = new Headers(init.headers);
    for (const [name, value] of await printed.get()) headers.set(name, value);
    // A redirect is followed as a new request, because its origin may differ.
    return send(url, { ...init, headers, redirect: "manual" });
  };
}

/** Throws a message for the user where the headers cannot be obtained. */
export async function printHeaders(helper: HeadersHelper, context: HelperContext): Promise<Headers> {
  const { env: own, isSandboxWritable } = context;
  const env = usualEnvironment(own);
  if (helper.workspacePrograms === "refuse") refuseSandboxWritable(helper, env["PATH"], isSandboxWritable);
  const given = helper.workspacePrograms === "run" ? env : withoutWritten(env, isSandboxWritable);
  return parseHeaders(await run(helper, given, context));
}

/** Such a program would run outside of every sandbox, although a sandboxed command may have written it. */
function refuseSandboxWritable(
  { command, cwd }: HeadersHelper,
  path: string | undefined,
  isSandboxWritable: HelperContext["isSandboxWritable"],
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
  { clock }: HelperContext,
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

/** Error messages omit the values, because they are secrets. */
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
      if (error instanceof TypeError) throw fault("printed an invalid header");
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
    // Reported below, without the text.
  }
  throw fault("must output a JSON object of strings");
}

function fault(what: string): Error {
  return new Error(`MCP HTTP headers helper ${what}`);
}
