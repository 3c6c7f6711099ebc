/** Makes the way to an MCP server that its configuration describes; nothing is started yet. */
import type { Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import { createNetworkFetch, type NetworkFetch } from "../../base/network/network-fetch.ts";
import { findSandboxWritableFile, sandboxWritableReason } from "../../sandbox/writable-places.ts";
import { withoutWritten } from "../exec/shell.ts";
import { limitMessages } from "./message-limit.ts";
import { fetchWithoutLogin } from "./oauth/login-fetch.ts";
import type { OAuth } from "./oauth/open-oauth.ts";
import {
  environmentFor,
  type HttpServer,
  hasOwnToken,
  type McpServerConfig,
  type StdioServer,
} from "./server-config.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface TransportOptions {
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether a file may be the work of a confined command. */
  readonly isWritten: (path: string) => boolean;
  /** What is said of us over HTTP. */
  readonly userAgent: string;
  /** The logins of users, where there are any. */
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
  refuseWritten(transport, given["PATH"], options);
  const env = transport.writtenPrograms === "run" ? given : withoutWritten(given, options.isWritten);
  return new StdioTransport({
    command: transport.command,
    args: transport.args,
    env,
    cwd: transport.cwd,
    clock: options.clock,
    onNoise: createNoiseLog(name, options.log),
  });
}

/** It would run outside of every sandbox what was perhaps written inside of one. */
function refuseWritten(
  { command, args, cwd, writtenPrograms }: StdioServer,
  path: string | undefined,
  { isWritten }: TransportOptions,
): void {
  if (writtenPrograms === "run") return;
  const written = findSandboxWritableFile([command, ...args], { cwd, path, isSandboxWritable: isWritten });
  if (written !== null) throw new Error(sandboxWritableReason(written));
}

/** A server may write as much as it likes, but not into our log. */
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
  { env, userAgent, oauth }: TransportOptions,
): Promise<Transport> {
  const headers = { "user-agent": userAgent, ...headersFor(name, server, env) };
  const send = limitBodies(createNetworkFetch(env));
  const loggedIn = hasOwnToken(server) ? null : await oauth?.fetchFor(name, server, send);
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers },
    fetch: loggedIn ?? fetchWithoutLogin(send),
    // Headers with secrets go to nobody but the server that they are meant for.
    redirectPolicy: "same-origin",
  });
}

export function headersFor(name: string, server: HttpServer, env: Environment): Record<string, string> {
  const fromEnv = Object.entries(server.envHeaders).flatMap(([header, variable]) => {
    const value = env[variable]?.trim() ?? "";
    return value === "" ? [] : [[header, value] as const];
  });
  const headers = { ...server.headers, ...Object.fromEntries(fromEnv) };
  if (server.bearerTokenEnvVar === null) return headers;
  const token = env[server.bearerTokenEnvVar];
  if (token === undefined || token === "") {
    const fault = token === undefined ? "is not set" : "is empty";
    throw new Error(`Environment variable ${server.bearerTokenEnvVar} for MCP server '${name}' ${fault}`);
  }
  return { ...headers, authorization: `Bearer ${token}` };
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
