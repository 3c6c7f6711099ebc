/** One HTTP request to a listener, as a WebSocket upgrade or not, and what came back. */
import { createHmac } from "node:crypto";
import { request } from "node:http";
import { within } from "../support/within.ts";
import type { BearerToken, Headers, HttpStep } from "./scenario.ts";

export type HttpAnswer = { readonly status: number; readonly body: string };

type Target = { readonly address: string | undefined; readonly socketPath: string | undefined };

const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

export async function askHttp(target: Target, step: HttpStep, now: Date): Promise<HttpAnswer> {
  const [hostname, port] = (target.address ?? "localhost:0").split(":");
  const headers = { ...(step.upgrade ? UPGRADE : {}), ...headerTexts(step.headers ?? {}, now) };
  const place = target.socketPath === undefined ? { hostname, port } : { socketPath: target.socketPath };
  const answer = new Promise<HttpAnswer>((resolve) => {
    const outgoing = request({
      ...place,
      path: step.path,
      method: step.method ?? "GET",
      headers,
      agent: false,
    });
    // A listener may also hang up without an answer; that is an answer too.
    outgoing.once("error", (error: NodeJS.ErrnoException) =>
      resolve({ status: 0, body: error.code ?? error.message }),
    );
    outgoing.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, body: "" });
    });
    outgoing.once("response", (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    outgoing.end();
  });
  return await within(answer, 5_000, `an HTTP answer for ${step.path}`);
}

export function headerTexts(headers: Headers, now: Date): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === "string" ? value : `Bearer ${signToken(value, now)}`,
    ]),
  );
}

/** An HS256 JSON Web Token. */
export function signToken(token: BearerToken, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const claims = {
    ...token.claims,
    ...(token.expiresIn === undefined ? {} : { exp: seconds + token.expiresIn }),
    ...(token.validIn === undefined ? {} : { nbf: seconds + token.validIn }),
  };
  const parts = [{ alg: "HS256", typ: "JWT" }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const signed = parts.join(".");
  return `${signed}.${createHmac("sha256", token.secret).update(signed).digest("base64url")}`;
}
