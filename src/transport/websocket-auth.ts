import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { AppError, osErrorText } from "../base/errors.ts";
import { refuseSignedBearer } from "./signed-bearer.ts";

/** The `--ws-…` options as they were given. */
export interface WebSocketAuthFlags {
  readonly mode?: "capability-token" | "signed-bearer-token" | undefined;
  readonly tokenFile?: string | undefined;
  readonly tokenSha256?: string | undefined;
  readonly sharedSecretFile?: string | undefined;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  readonly maxClockSkewSeconds?: number | undefined;
}

/** Looks at the `Authorization` header of an upgrade and returns why it is refused, or null. */
export type RefuseUpgrade = (authorization: string | undefined) => string | null;

export interface WebSocketAuthContext {
  readonly cwd: string;
  readonly nowSeconds: () => number;
}

const MIN_SECRET_BYTES = 32;
const DEFAULT_CLOCK_SKEW_SECONDS = 30;

/**
 * Turns the options into a check of upgrades, or null when no authentication is asked for.
 * Options that contradict one another and secrets that cannot be used throw: the server must not
 * start with less protection than was asked for.
 */
export function openWebSocketAuth(
  flags: WebSocketAuthFlags,
  context: WebSocketAuthContext,
): RefuseUpgrade | null {
  const { tokenFile, tokenSha256, sharedSecretFile, issuer, audience, maxClockSkewSeconds } = flags;
  const tokenFlags = [tokenFile, tokenSha256].some((flag) => flag !== undefined);
  const bearerFlags = [sharedSecretFile, issuer, audience, maxClockSkewSeconds].some(
    (flag) => flag !== undefined,
  );
  switch (flags.mode) {
    case undefined:
      if (!tokenFlags && !bearerFlags) return null;
      throw refusal(
        "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`",
      );
    case "capability-token":
      if (bearerFlags) {
        throw refusal(
          "`--ws-shared-secret-file`, `--ws-issuer`, `--ws-audience`, and `--ws-max-clock-skew-seconds` require `--ws-auth signed-bearer-token`",
        );
      }
      return checkCapabilityToken(capabilityDigest(flags, context));
    case "signed-bearer-token":
      if (tokenFlags) {
        throw refusal(
          "`--ws-token-file` and `--ws-token-sha256` require `--ws-auth capability-token`, not `signed-bearer-token`",
        );
      }
      return checkSignedBearer(flags, context);
  }
}

function capabilityDigest(
  { tokenFile, tokenSha256 }: WebSocketAuthFlags,
  context: WebSocketAuthContext,
): Buffer {
  if (tokenFile !== undefined && tokenSha256 !== undefined) {
    throw refusal("`--ws-token-file` and `--ws-token-sha256` are mutually exclusive");
  }
  if (tokenFile !== undefined) return sha256(readSecret(resolve(context.cwd, tokenFile)));
  if (tokenSha256 === undefined) {
    throw refusal(
      "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set",
    );
  }
  if (!/^[0-9a-f]{64}$/i.test(tokenSha256.trim())) {
    throw refusal("--ws-token-sha256 must be a 64-character hex SHA-256 digest");
  }
  return Buffer.from(tokenSha256.trim(), "hex");
}

function checkCapabilityToken(expected: Buffer): RefuseUpgrade {
  return withBearer((token) =>
    timingSafeEqual(sha256(token), expected) ? null : "invalid websocket bearer token",
  );
}

function checkSignedBearer(flags: WebSocketAuthFlags, context: WebSocketAuthContext): RefuseUpgrade {
  if (flags.sharedSecretFile === undefined) {
    throw refusal("`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set");
  }
  const path = resolve(context.cwd, flags.sharedSecretFile);
  const secret = Buffer.from(readSecret(path));
  if (secret.length < MIN_SECRET_BYTES) {
    throw refusal(`signed websocket bearer secret ${path} must be at least ${MIN_SECRET_BYTES} bytes`);
  }
  const policy = {
    secret,
    issuer: flags.issuer?.trim() || null,
    audience: flags.audience?.trim() || null,
    maxClockSkewSeconds: flags.maxClockSkewSeconds ?? DEFAULT_CLOCK_SKEW_SECONDS,
  };
  return withBearer((token) => refuseSignedBearer(token, policy, context.nowSeconds()));
}

function withBearer(refuse: (token: string) => string | null): RefuseUpgrade {
  return (authorization) => {
    if (authorization === undefined) return "missing websocket bearer token";
    // What trims as white space beyond ASCII would make several headers of one token.
    const token = /^bearer ([ -~]+)$/i.exec(authorization)?.[1]?.trim();
    return token === undefined || token === "" ? "invalid authorization header" : refuse(token);
  };
}

function readSecret(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    throw refusal(`failed to read websocket auth secret ${path}: ${osErrorText(error)}`);
  }
  if (text === "") throw refusal(`websocket auth secret ${path} must not be empty`);
  return text;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refusal(message: string): AppError {
  return new AppError("transport.auth", message);
}
