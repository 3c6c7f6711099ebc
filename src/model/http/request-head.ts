/** Writes the head of an HTTP/1.1 request. */
import type { Connector } from "../../base/network/connector.ts";
import type { HttpBody, HttpRequest } from "./http-client.ts";

/** The names are those of the wire formats, of checked settings, and of the URL. */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** A line break would begin another header, or another request. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const PATH = /^[\x21-\x7e]+$/;

/** Throws if a name, a value or the path would not be read as such by the server. */
export function requestHead(
  { target, headers, body, method }: HttpRequest,
  { pathPrefix, headers: ofProxy }: Pick<Connector, "pathPrefix" | "headers">,
): string {
  const path = `${pathPrefix}${target.path}`;
  if (!PATH.test(path)) throw new Error("Request path contains unescaped characters");
  const all: Record<string, string> = {
    connection: "keep-alive",
    ...target.headers,
    ...headers,
    "content-length": String(bodyLength(body)),
    ...ofProxy,
  };
  // The body has a length; with both, two servers on the way could disagree about its end.
  delete all["transfer-encoding"];
  let text = `${method ?? "POST"} ${path} HTTP/1.1\r\n`;
  for (const name in all) {
    const value = all[name] as string;
    if (!NAME.test(name) || !VALUE.test(value)) {
      throw new Error(`Invalid character in header content ["${name}"]`);
    }
    text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}

/** In bytes. */
export function bodyLength(body: HttpBody): number {
  let length = 0;
  for (const piece of body) length += Buffer.byteLength(piece);
  return length;
}
