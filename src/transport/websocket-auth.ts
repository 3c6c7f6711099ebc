import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { AppError, messageOf, osErrorText } from "../base/errors.ts";
import { verifySignedBearer } from "./signed-bearer.ts";
import type { TokenHolder } from "./token-holder.ts";

/** The parsed `--ws-…` options. */
export interface WebSocketAuthFlags {
  readonly mode?: "capability-token" | "signed-bearer-token" | undefined;
  readonly tokenFile?: string | undefined;
  readonly tokenSha256?: string | undefined;
  readonly sharedSecretFile?: string | undefined;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  readonly maxClockSkewSeconds?: number | undefined;
}

/**
 * Checks the `Authorization` header of an upgrade: returns why it is refused, the holder of the token, or null if a valid
 * token names no holder.
 */
export type JudgeUpgrade = (authorization: string | undefined) => string | TokenHolder | null;

export interface WebSocketAuthContext {
  readonly cwd: string;
  readonly nowSeconds: () => number;
  /** Called with a message if a replaced secret cannot be used. */
  readonly onFault: (message: string) => void;
}

const MIN_SECRET_BYTES = 32;
const DEFAULT_CLOCK_SKEW_SECONDS = 30;

/**
 * Creates the check of upgrades, or null without authentication. Throws for contradictory options and unusable secrets:
 * the server must not start with less protection than configured.
 */
export function openWebSocketAuth(
  flags: WebSocketAuthFlags,
  context: WebSocketAuthContext,
): JudgeUpgrade | null {
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
): () => Buffer {
  if (tokenFile !== undefined && tokenSha256 !== undefined) {
    throw refusal("`--ws-token-file` and `--ws-token-sha256` are mutually exclusive");
  }
  if (tokenFile !== undefined) {
    const token = openSecretFile(resolve(context.cwd, tokenFile), readSecret, context.onFault);
    return () => sha256(token());
  }
  if (tokenSha256 === undefined) {
    throw refusal(
      "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set",
    );
  }
  if (!/^[0-9a-f]{64}$/i.test(tokenSha256.trim())) {
    throw refusal("--ws-token-sha256 must be a 64-character hex SHA-256 digest");
  }
  const digest = Buffer.from(tokenSha256.trim(), "hex");
  return () => digest;
}

function checkCapabilityToken(expected: () => Buffer): JudgeUpgrade {
  return withBearer((token) =>
    timingSafeEqual(sha256(token), expected()) ? null : "invalid websocket bearer token",
  );
}

function checkSignedBearer(flags: WebSocketAuthFlags, context: WebSocketAuthContext): JudgeUpgrade {
  if (flags.sharedSecretFile === undefined) {
    throw refusal("`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set");
  }
  const path = resolve(context.cwd, flags.sharedSecretFile);
  const secret = openSecretFile(path, readSigningSecret, context.onFault);
  const policy = {
    issuer: flags.issuer?.trim() || null,
    audience: flags.audience?.trim() || null,
    maxClockSkewSeconds: flags.maxClockSkewSeconds ?? DEFAULT_CLOCK_SKEW_SECONDS,
  };
  return withBearer((token) =>
    verifySignedBearer(token, { ...policy, secret: secret() }, context.nowSeconds()),
  );
}

function readSigningSecret(path: string): Buffer {
  const secret = Buffer.from(readSecret(path));
  if (secret.length >= MIN_SECRET_BYTES) return secret;
  throw refusal(`signed websocket bearer secret ${path} must be at least ${MIN_SECRET_BYTES} bytes`);
}

function withBearer(verify: (token: string) => ReturnType<JudgeUpgrade>): JudgeUpgrade {
  return (authorization) => {
    if (authorization === undefined) return "missing websocket bearer token";
    // ASCII only: trimming other white space would accept several spellings of one token.
    const token = /^bearer ([ -~]+)$/i.exec(authorization)?.[1]?.trim();
    return token === undefined || token === "" ? "invalid authorization header" : verify(token);
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

/**
 * A secret that is reloaded when its file changes. Throws if it cannot be read at first. If a replacement is unusable, the
 * old secret stays in use, which is reported once. A pipe can be read only once, and is not read again.
 */
function openSecretFile<T>(
  path: string,
  read: (path: string) => T,
  onFault: (message: string) => void,
): () => T {
  let version = fileVersionOf(path);
  let secret = read(path);
  return () => {
    const next = fileVersionOf(path);
    if (next === null || next === version) return secret;
    version = next;
    try {
      secret = read(path);
    } catch (error) {
      onFault(`${messageOf(error)}; the one before stays in use`);
    }
    return secret;
  };
}

/** A value that changes when the file is replaced or written; null if it is missing or not a regular file. */
function fileVersionOf(path: string): string | null {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    return null;
  }
  if (stats === undefined || !stats.isFile()) return null;
  return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}
