/** The settings of a provider, and the dependencies of its model. */
import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { Logger } from "../base/logger.ts";

export interface ProviderSettings {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly wireApi: WireApi;
  /** The API key, sent in the headers of the wire format. */
  readonly bearerToken: string | null;
  /** A program that prints the API key. */
  readonly tokenCommand: TokenCommandSettings | null;
  /** Take precedence over the headers of the engine, but not over the bearer token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  /** The number of retries of a request without a response, or with a server error. */
  readonly requestMaxRetries: number;
  /** The number of retries of a broken stream. */
  readonly streamMaxRetries: number;
  readonly streamIdleTimeoutMs: number;
  /** Retries without limit while the provider is unreachable. */
  readonly waitsForNetwork: boolean;
  /** OpenAI itself: errors are handled as in its own clients. */
  readonly isOpenai: boolean;
  /** Whether the context windows of its models may be requested. */
  readonly reportsContextWindow: boolean;
  /** Why requests are impossible, for example a missing environment variable. Every response fails with it. */
  readonly fault: string | null;
}

/** A program that prints a bearer token. */
export interface TokenCommandSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** The age at which the token is refreshed; zero: only after the provider rejects it. */
  readonly refreshIntervalMs: number;
  readonly cwd: string | null;
}

/** `demo` is the built-in scripted model, which needs neither a URL nor a token. */
export type WireApi = "responses" | "chat" | "messages" | "demo";

export interface ModelDeps {
  readonly clock: Clock;
  /** Configures proxies and certificates, and is the environment of token commands. */
  readonly env: Environment;
  /** Null, or why a token command must not be run. */
  readonly refuseProgram?: ((argv: readonly string[], cwd: string | null) => string | null) | undefined;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  readonly log: Logger;
  /** Called for each retried request with the status of the failed response; null if there was none. */
  readonly onRetry?: (status: number | null) => void;
}
