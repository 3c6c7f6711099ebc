/**
 * The cookie of a browser that was paired. Browsers send a cookie to every port of a host, so its name contains the port:
 * two servers on one machine would replace one another's sessions otherwise.
 */
import type { IncomingHttpHeaders } from "node:http";

const NAME = "heddle-session";

/** Browsers send fewer bytes; a longer header is not searched. */
const MAX_HEADER = 16 * 1024;
/** The form of a secret: 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;

/** The secret of the session cookie; null without one, or if there are several. */
export function sessionOf({ cookie, host }: IncomingHttpHeaders): string | null {
  if (cookie === undefined || cookie.length > MAX_HEADER) return null;
  const name = `${cookieName(host)}=`;
  const values = cookie
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(name))
    .map((pair) => pair.slice(name.length));
  const [value, second] = values;
  return value !== undefined && second === undefined && SECRET.test(value) ? value : null;
}

export interface SessionCookie {
  readonly host: string | undefined;
  readonly isSecure: boolean;
  /** An empty secret deletes the cookie. */
  readonly secret: string;
  readonly maxAgeSeconds: number;
}

export function formatSessionCookie({ host, isSecure, secret, maxAgeSeconds }: SessionCookie): string {
  const attributes = ["HttpOnly", "SameSite=Strict", "Path=/", `Max-Age=${maxAgeSeconds}`];
  if (isSecure) attributes.push("Secure");
  return [`${cookieName(host)}=${secret}`, ...attributes].join("; ");
}

function cookieName(host: string | undefined): string {
  const port = /:(\d{1,5})$/.exec(host ?? "")?.[1];
  return port === undefined ? NAME : `${NAME}-${port}`;
}
