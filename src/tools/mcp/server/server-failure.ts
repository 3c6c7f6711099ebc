/** Errors of MCP servers, in the wording that clients and models know. */
import { messageOf } from "../../../base/errors.ts";

export type StartupFailure =
  | { readonly kind: "timedOut"; readonly seconds: number }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "loginNeeded"; readonly why: LoginNeed };

/** No login, an expired login, or a configured token that the server rejects. */
export type LoginNeed = "noLogin" | "oldLogin" | "badToken";

/** The outcome of a request to a server. */
export type McpOutcome<T> =
  | { readonly kind: "answered"; readonly result: T }
  /** The server returned an error. */
  | { readonly kind: "refused"; readonly code: number; readonly message: string; readonly data: unknown }
  | { readonly kind: "failed"; readonly message: string; readonly refusal?: LoginNeededError }
  /** The caller cancelled the request. */
  | { readonly kind: "cancelled" };

export type McpFault = Exclude<McpOutcome<never>, { readonly kind: "answered" }>;

/** For a list of servers with their errors. */
export function describeStartup(failure: StartupFailure): string {
  return `MCP startup failed: ${startupCause(failure)}`;
}

export function startupCause(failure: StartupFailure): string {
  switch (failure.kind) {
    case "failed":
      return failure.message;
    case "timedOut":
      return `timed out handshaking with MCP server after ${failure.seconds}s: deadline has elapsed`;
    case "loginNeeded":
      return "handshaking with MCP server failed: Auth required";
  }
}

const SIGN_IN = "Use your client's MCP OAuth sign-in flow.";

const REMEDIES: Readonly<Record<LoginNeed, string>> = {
  noLogin: `is not logged in. ${SIGN_IN}`,
  oldLogin: `requires OAuth reauthentication. ${SIGN_IN}`,
  badToken: "refused the configured token. Check its `bearer_token_env_var` or its Authorization header.",
};

/** For the user, with a remedy where there is one. */
export function explainStartup(name: string, failure: StartupFailure): string {
  if (failure.kind === "failed") {
    return `MCP client for \`${name}\` failed to start: ${describeStartup(failure)}`;
  }
  if (failure.kind === "loginNeeded") return `The ${name} MCP server ${REMEDIES[failure.why]}`;
  const seconds = Math.floor(failure.seconds);
  return `MCP client for \`${name}\` timed out after ${seconds} seconds. Add or adjust \`startup_timeout_sec\` in your config.toml:\n[mcp_servers.${name}]\nstartup_timeout_sec = XX`;
}

export function describeMcpFault(fault: McpFault): string {
  switch (fault.kind) {
    case "refused": {
      const data = fault.data === undefined ? "" : `(${JSON.stringify(fault.data)})`;
      return `Mcp error: ${fault.code}: ${fault.message}${data}`;
    }
    case "failed":
      return fault.message;
    case "cancelled":
      return "cancelled";
  }
}

/** The message with those of its causes, because `fetch failed` alone is not helpful. */
export function chainOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${chainOf(cause)}`;
}

/** The server rejected the connection: it requires a login, or a new one. */
export class LoginNeededError extends Error {
  /** The server's `WWW-Authenticate` challenge. */
  readonly challenge: string | null;
  /** A login is stored and no longer valid. */
  readonly hadLogin: boolean;

  constructor(challenge: string | null, hadLogin: boolean) {
    super("Auth required");
    this.name = "LoginNeededError";
    this.challenge = challenge;
    this.hadLogin = hadLogin;
  }
}

const UNAUTHORIZED = 401;
/** The SDK wraps errors, but never this deep. */
const MAX_DEPTH = 10;

/** Returns an error for a 401 response; null for all others. */
export async function findRefusal(response: Response, hadLogin: boolean): Promise<LoginNeededError | null> {
  if (response.status !== UNAUTHORIZED) return null;
  await response.body?.cancel();
  return new LoginNeededError(response.headers.get("www-authenticate"), hadLogin);
}

export function findLoginNeeded(error: unknown): LoginNeededError | null {
  let current = error;
  for (let depth = 0; depth < MAX_DEPTH && current instanceof Error; depth += 1) {
    if (current instanceof LoginNeededError) return current;
    current = current.cause;
  }
  return null;
}

/** The result of a rejected call: an ordinary failure for the model, with the challenge for clients. */
export function toRefusedCall({ challenge }: LoginNeededError) {
  return {
    kind: "answered" as const,
    result: {
      content: [{ type: "text", text: "Authentication required" }],
      isError: true,
      ...(challenge !== null && { _meta: { "mcp/www_authenticate": [challenge] } }),
    },
  };
}
