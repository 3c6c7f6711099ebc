/** Creates the transport that a server's configuration describes; nothing is started yet. */
import type { Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import { createNetworkFetch, type NetworkFetch } from "../../base/network/network-fetch.ts";
import { findSandboxWritableFile, sandboxWritableReason } from "../../sandbox/writable-paths.ts";
import { withoutWritten } from "../exec/shell.ts";
import type { OAuth } from "./oauth/open-oauth.ts";
import { withHelperHeaders } from "./server/headers-helper.ts";
import {
  environmentFor,
  type HttpServer,
  hasOwnToken,
  headersFor,
  type McpServerConfig,
  type StdioServer,
} from "./server/server-config.ts";
import { findRefusal } from "./server/server-failure.ts";
import { MAX_STDIO_MESSAGE_BYTES, StdioTransport } from "./stdio-transport.ts";

export interface TransportOptions {
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether a sandboxed command may have written the file. */
  readonly isSandboxWritable: (path: string) => boolean;
  /** The `user-agent` header. */
  readonly userAgent: string;
  /** The users' stored logins, if any. */
  readonly oauth?: Pick<OAuth, "fetchFor">;
}

const MAX_NOISE_LINES = 200;
const MAX_NOISE_LENGTH = 500;

export async function createTransport(
  { name, transport }: McpServerConfig,
  options: TransportOptions,
): Promise<Transport> {
  if (transport.kind === "http") return createHttpTransport(name, transport, options);
  const given = environmentFor(transport, options.env);
  refuseSandboxWritable(transport, given["PATH"], options);
  const env =
    transport.workspacePrograms === "run" ? given : withoutWritten(given, options.isSandboxWritable);
  return new StdioTransport({
    command: transport.command,
    args: transport.args,
    env,
    cwd: transport.cwd,
    clock: options.clock,
    onNoise: createNoiseLog(name, options.log),
  });
}

/** Such a program would run outside of every sandbox, although a sandboxed command may have written it. */
function refuseSandboxWritable(
  { command, args, cwd, workspacePrograms }: StdioServer,
  path: string | undefined,
  { isSandboxWritable }: TransportOptions,
): void {
  if (workspacePrograms === "run") return;
  const written = findSandboxWritableFile([command, ...args], { cwd, path, isSandboxWritable });
  if (written !== null) throw new Error(sandboxWritableReason(written));
}

/** Limits the server's output in the log. */
function createNoiseLog(server: string, log: Logger): (stream: string, line: string) => void {
  let lines = 0;
  return (stream, line) => {
    lines += 1;
    if (lines > MAX_NOISE_LINES) return;
    log.info("an MCP server wrote", { server, stream, line: line.slice(0, MAX_NOISE_LENGTH) });
    if (lines === MAX_NOISE_LINES) log.info("no more of what this MCP server writes is logged", { server });
  };
}

async function createHttpTransport(
  name: string,
  server: HttpServer,
  options: TransportOptions,
): Promise<Transport> {
  const { env, userAgent, oauth } = options;
  const headers = { "user-agent": userAgent, ...headersFor(name, server, env) };
  const send = limitBodies(withHelperHeaders(createNetworkFetch(env), server, options));
  const loggedIn = hasOwnToken(server) ? null : await oauth?.fetchFor(name, server, send);
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers },
    fetch: loggedIn ?? fetchWithoutLogin(send),
    // Headers with secrets must not follow a redirect to another origin.
    redirectPolicy: "same-origin",
  });
}

function limitBodies(send: NetworkFetch): NetworkFetch {
  return async (url, init) => {
    const response = await send(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const limited = new Response(limitMessages(response.body), { status, statusText, headers });
    Object.defineProperty(limited, "url", { value: response.url });
    return limited;
  };
}

/** Fails a stream in which no message ends within the limit. */
function limitMessages(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let held = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // Messages of an event stream are separated by blank lines; a plain response has none.
      const end = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).lastIndexOf("\n\n");
      held = end === -1 ? held + chunk.byteLength : chunk.byteLength - end;
      if (held > MAX_STDIO_MESSAGE_BYTES) {
        controller.error(new Error(`a message is longer than ${MAX_STDIO_MESSAGE_BYTES} bytes`));
      } else {
        controller.enqueue(chunk);
      }
    },
  });
  return body.pipeThrough(counter);
}

/** For servers without a login: reports a 401 in the same way. */
function fetchWithoutLogin(fetchFn: NetworkFetch): NetworkFetch {
  return async (url, init) => {
    const response = await fetchFn(url, init);
    const refusal = await findRefusal(response, false);
    if (refusal !== null) throw refusal;
    return response;
  };
}
