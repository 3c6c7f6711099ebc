/** Options of listeners for remote callers: allowed hosts and origins, proxies, TLS. */
import { resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { createTrustedProxies, refuseProxy, type TrustedProxies } from "../../transport/caller.ts";
import type { AllowedNames } from "../../transport/gate.ts";
import { openTlsFiles, type TlsFiles } from "../../transport/tls-files.ts";
import { type OptionSpec, type ParsedArguments, UsageError } from "../command-line/command.ts";

/** The form that browsers send: without a path. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+$/i;

export const listenerOptions: readonly OptionSpec[] = [
  {
    name: "ws-allow-host",
    value: "HOST",
    repeat: true,
    help: "Also take requests with this Host, as a proxy passes it on; needs --ws-auth",
    validate: (host) =>
      /^[a-z0-9._-]+(?::\d{1,5})?$/i.test(host) ? null : "expected a name such as heddle.example",
  },
  {
    name: "ws-allow-origin",
    value: "ORIGIN",
    repeat: true,
    help: "Also serve web pages of this origin; needs --ws-auth",
    validate: (origin) => (ORIGIN.test(origin) ? null : "expected an origin such as https://app.example"),
  },
  {
    name: "trusted-proxy",
    value: "ADDRESS",
    repeat: true,
    help: "Believe the X-Forwarded-For and X-Forwarded-Proto of this proxy; an address, or a subnet such as 10.0.0.0/8",
    validate: refuseProxy,
  },
  {
    name: "tls-cert",
    value: "PATH",
    help: "Serve wss:// with the certificate of this file; read anew on change",
  },
  { name: "tls-key", value: "PATH", help: "File that holds the key of the certificate" },
];

export interface ListenerSettings {
  readonly names: AllowedNames;
  readonly trustedProxies: TrustedProxies | null;
  readonly tls: TlsFiles | null;
}

interface ListenerContext {
  readonly cwd: string;
  readonly log: Logger;
  readonly hasToken: boolean;
  /** Whether the listener is on TCP; the options apply to no other. */
  readonly isTcp: boolean;
}

export function readListenerSettings(
  args: ParsedArguments,
  { cwd, log, hasToken, isTcp }: ListenerContext,
): ListenerSettings {
  const given = listenerOptions.find(({ name }) => args.flag(name));
  if (given !== undefined && !isTcp)
    throw new UsageError(`the argument '--${given.name}' needs a listener on ws://IP:PORT`);
  for (const name of ["ws-allow-host", "ws-allow-origin"]) {
    // Behind a proxy the caller check sees the proxy only, so a token is required.
    if (args.flag(name) && !hasToken)
      throw new UsageError(`the argument '--${name}' needs a token: add '--ws-auth'`);
  }
  const certFile = args.value("tls-cert");
  const keyFile = args.value("tls-key");
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new UsageError("the arguments '--tls-cert' and '--tls-key' need one another");
  const proxies = args.values("trusted-proxy");
  return {
    names: {
      hosts: args.values("ws-allow-host").map((host) => host.toLowerCase()),
      origins: args.values("ws-allow-origin").map((origin) => origin.toLowerCase()),
    },
    trustedProxies: proxies.length === 0 ? null : createTrustedProxies(proxies),
    tls:
      certFile === undefined || keyFile === undefined
        ? null
        : openTlsFiles({
            certFile: resolve(cwd, certFile),
            keyFile: resolve(cwd, keyFile),
            clock: systemClock,
            log,
          }),
  };
}
