/** Options shared by several commands: configuration, output, and WebSocket authentication. */
import { resolve } from "node:path";
import type { HeddleOptions } from "../../server/heddle.ts";
import type { WebSocketAuthFlags } from "../../transport/websocket-auth.ts";
import type { OptionSpec, ParsedArguments } from "./command.ts";

/** Configuration options, accepted before and after a subcommand. */
export const globalOptions: readonly OptionSpec[] = [
  {
    name: "config",
    short: "c",
    value: "key=value",
    repeat: true,
    help: "Override a configuration value; dotted key, value in TOML or as plain text",
  },
  { name: "profile", short: "p", value: "NAME", help: "Lay <NAME>.config.toml of the home over config.toml" },
  { name: "enable", value: "FEATURE", repeat: true, help: "Switch a feature on (features.<name>=true)" },
  { name: "disable", value: "FEATURE", repeat: true, help: "Switch a feature off (features.<name>=false)" },
  { name: "strict-config", help: "Refuse to start when config.toml has unknown fields" },
];

/** The values of the global options, merged over all commands of the chain. */
export type GlobalSettings = Pick<HeddleOptions, "flags" | "profile" | "strictConfig">;

export function readGlobalSettings(...chain: readonly ParsedArguments[]): GlobalSettings {
  const all = (name: string) => chain.flatMap((args) => args.values(name));
  return {
    flags: { config: all("config"), enable: all("enable"), disable: all("disable") },
    profile: all("profile").at(-1) ?? null,
    strictConfig: chain.some((args) => args.flag("strict-config")),
  };
}

export const jsonOption: OptionSpec = { name: "json", help: "Print JSON, for programs" };
export const yesOption: OptionSpec = {
  name: "yes",
  short: "y",
  help: "Do not ask; needed where there is no terminal",
};

/** `--limit` with values from 1 to `max`. */
export function limitOption(defaultLimit: number, max: number): OptionSpec {
  return {
    name: "limit",
    value: "N",
    help: `How many at most (default ${defaultLimit})`,
    validate: (text) =>
      /^[1-9]\d{0,8}$/.test(text) && Number(text) <= max ? null : `not a number from 1 to ${max}`,
  };
}

export const webSocketAuthOptions: readonly OptionSpec[] = [
  {
    name: "ws-auth",
    value: "MODE",
    help: "Authentication of WebSocket connections",
    choices: ["capability-token", "signed-bearer-token"],
  },
  { name: "ws-token-file", value: "PATH", help: "File that holds the capability token" },
  { name: "ws-token-sha256", value: "HEX", help: "SHA-256 digest of the capability token" },
  { name: "ws-shared-secret-file", value: "PATH", help: "File that holds the secret of signed tokens" },
  { name: "ws-issuer", value: "ISSUER", help: "Issuer that a signed token must name" },
  { name: "ws-audience", value: "AUDIENCE", help: "Audience that a signed token must name" },
  {
    name: "ws-max-clock-skew-seconds",
    value: "SECONDS",
    help: "How far the clocks of issuer and server may differ (default 30)",
    validate: (value) => (/^\d+$/.test(value) ? null : "invalid digit found in string"),
  },
];

/** Paths of token, secret and key files. */
export function readSecretFiles(args: ParsedArguments, cwd: string): string[] {
  const files = [args.value("ws-token-file"), args.value("ws-shared-secret-file"), args.value("tls-key")];
  return files.flatMap((file) => (file === undefined ? [] : [resolve(cwd, file)]));
}

export function readWebSocketAuthFlags(args: ParsedArguments): WebSocketAuthFlags {
  const skew = args.value("ws-max-clock-skew-seconds");
  return {
    // The option's choices are exactly these modes.
    mode: args.value("ws-auth") as WebSocketAuthFlags["mode"],
    tokenFile: args.value("ws-token-file"),
    tokenSha256: args.value("ws-token-sha256"),
    sharedSecretFile: args.value("ws-shared-secret-file"),
    issuer: args.value("ws-issuer"),
    audience: args.value("ws-audience"),
    maxClockSkewSeconds: skew === undefined ? undefined : Number(skew),
  };
}
