/** What the configuration says about a provider, and what its model needs to run. */
import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { Logger } from "../base/logger.ts";

export interface ProviderSettings {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly wireApi: WireApi;
  /** The key, sent as the wire has it. */
  readonly bearerToken: string | null;
  /** A program that prints it. */
  readonly tokenCommand: TokenCommand | null;
  /** Win over what the engine says about itself, but not over the bearer token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  /** How often a request is sent again that got no answer, or one that the provider could not give. */
  readonly requestMaxRetries: number;
  /** How often a response is asked for again that broke on the way. */
  readonly streamMaxRetries: number;
  readonly streamIdleTimeoutMs: number;
  /** Goes on trying without limit while no connection comes about at all. */
  readonly waitsForNetwork: boolean;
  /** OpenAI itself: what it answers is taken as its own clients take it. */
  readonly isOpenai: boolean;
  /** Whether it may be asked for the context windows of its models. */
  readonly tellsWindow: boolean;
  /** Why no request can be made, for example a variable that is not set. Every response then fails with it. */
  readonly fault: string | null;
}

/** A program that prints a bearer token. */
export interface TokenCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** Age at which the token is asked for again; zero: never, unless the provider refuses it. */
  readonly refreshIntervalMs: number;
  readonly cwd: string | null;
}

/** `demo` is the scripted model inside Heddle, which needs neither an address nor a token. */
export type WireApi = "responses" | "chat" | "messages" | "demo";

export interface ModelDeps {
  readonly clock: Clock;
  /** Names proxies and certificates, and is what programs that print a token are run with. */
  readonly env: Environment;
  /** Why such a program is not to be run, or null. */
  readonly refuseProgram?: ((argv: readonly string[], cwd: string | null) => string | null) | undefined;
  /** A number from 0 up to 1, for the spread of retries. */
  readonly random: () => number;
  readonly log: Logger;
  /** Hears of each request that is sent again, and the status of the answer before; null where there was none. */
  readonly onResent?: (status: number | null) => void;
}
