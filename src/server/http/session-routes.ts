/**
 * `/session`: the own page exchanges a code or a ticket for the cookie of a session, reads what the session allows, and ends
 * it. The cookie cannot be read by scripts, and no answer contains a secret elsewhere.
 */
import { isObject } from "../../base/json-object.ts";
import { isRefusal } from "../../base/refusal.ts";
import { scopes as allScopes } from "../../protocol/access/scopes.ts";
import { MAX_LIFETIME_MS } from "../../runtime/access/access-limits.ts";
import type { DeviceAccess } from "../../runtime/access/device-access.ts";
import type { StoredDevice } from "../../store/devices.ts";
import { type HttpAnswer, plainAnswer, type RouteRequest } from "../../transport/http-routes.ts";
import { formatSessionCookie, sessionOf } from "../../transport/session-cookie.ts";
import type { TokenHolder } from "../../transport/token-holder.ts";
import { createAttemptLimit } from "./attempt-limit.ts";
import { readBody } from "./read-body.ts";
import type { Route } from "./route-table.ts";

export interface SessionRoutesOptions {
  readonly devices: () => Promise<DeviceAccess>;
  readonly clock: { readonly now: () => number; readonly monotonic: () => number };
}

const PATH = "/session";
const MAX_BODY = 1024;
/** The form of codes and tickets. */
const CODE = /^[\w-]{22}$/;
const NOT_OWN_PAGE = plainAnswer(403, "only the page of this server has sessions");
const NOT_A_CODE = plainAnswer(400, 'expected JSON such as {"ticket":"…"}');
const BAD_CODE = plainAnswer(
  401,
  "the code is not known, was used before or is too old: get another one with `heddle pair`",
);

export function sessionRoutes({ devices, clock }: SessionRoutesOptions): readonly Route[] {
  const limit = createAttemptLimit(clock.monotonic);

  async function signIn(request: RouteRequest): Promise<HttpAnswer> {
    if (!request.isOwnPage) return NOT_OWN_PAGE;
    const address = request.caller.address ?? "";
    const waitSeconds = limit.refuse(address);
    if (waitSeconds !== null)
      return plainAnswer(429, "too many codes were wrong: try again later", {
        "retry-after": `${waitSeconds}`,
      });
    const read = await readBody(request, MAX_BODY);
    if (read.kind === "refused") return read.answer;
    const code = parseCode(request, read.bytes);
    if (code === null) return NOT_A_CODE;
    // Counted before the look-up, so that attempts at the same time do not exceed the limit.
    limit.failed(address);
    const paired = CODE.test(code) ? await (await devices()).pair(code) : null;
    if (paired === null) return BAD_CODE;
    limit.succeeded(address);
    if (isRefusal(paired)) return plainAnswer(409, paired.message);
    const { device, secret } = paired;
    return withCookie(request, secret, secondsUntil(device.expiresAtMs), json(200, describeDevice(device)));
  }

  async function signOut(request: RouteRequest): Promise<HttpAnswer> {
    if (!request.isOwnPage) return NOT_OWN_PAGE;
    const secret = sessionOf(request.headers);
    const access = await devices();
    const device = secret === null ? null : await access.sessions.device(secret);
    if (device !== null) await access.revoke(device.deviceId);
    return withCookie(request, "", 0, { status: 204, headers: {}, body: null });
  }

  function secondsUntil(expiresAtMs: number | null): number {
    const lifetimeMs = expiresAtMs === null ? MAX_LIFETIME_MS : expiresAtMs - clock.now();
    return Math.max(0, Math.floor(lifetimeMs / 1000));
  }

  const shared = {
    path: PATH,
    headers: () => ({ "cache-control": "no-store", "x-content-type-options": "nosniff" }),
  };
  return [
    {
      ...shared,
      methods: ["GET"],
      access: "token",
      answer: async (_request, _params, holder) => json(200, describeHolder(holder)),
    },
    { ...shared, methods: ["POST"], access: "anyone", answer: signIn },
    { ...shared, methods: ["DELETE"], access: "anyone", answer: signOut },
  ];
}

function parseCode({ headers }: RouteRequest, body: Buffer): string | null {
  if (!/^application\/json\b/iu.test(headers["content-type"] ?? "")) return null;
  try {
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    const code = isObject(parsed) ? parsed["ticket"] : null;
    return typeof code === "string" ? code : null;
  } catch {
    // The body is not JSON, which the answer says.
    return null;
  }
}

function withCookie(
  { headers: { host }, caller: { isSecure } }: RouteRequest,
  secret: string,
  maxAgeSeconds: number,
  answer: HttpAnswer,
): HttpAnswer {
  const cookie = formatSessionCookie({ host, isSecure, secret, maxAgeSeconds });
  return { ...answer, headers: { ...answer.headers, "set-cookie": cookie } };
}

function describeDevice({ name, subject, scopes }: StoredDevice) {
  return { name, subject, scopes };
}

/** Without a holder, as without authentication, everything is allowed. */
function describeHolder(holder: TokenHolder | null) {
  return { subject: holder?.subject ?? null, scopes: [...(holder?.scopes ?? allScopes)] };
}

function json(status: number, value: unknown): HttpAnswer {
  return { status, body: JSON.stringify(value), headers: { "content-type": "application/json" } };
}
