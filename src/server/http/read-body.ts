import { type HttpAnswer, plainAnswer, type RouteRequest } from "../../transport/http-routes.ts";

export type BodyOutcome =
  | { readonly kind: "body"; readonly bytes: Buffer }
  /** The answer is 413, and the connection ends with it, so that the rest is not read. */
  | { readonly kind: "refused"; readonly answer: HttpAnswer };

/** Reads the body of a request within a limit. */
export async function readBody(
  { body, headers }: Pick<RouteRequest, "body" | "headers">,
  maxBytes: number,
): Promise<BodyOutcome> {
  if (Number(headers["content-length"] ?? 0) > maxBytes) return refuse(413, tooLarge(maxBytes));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Destroying the request would also end the connection that the answer is sent on.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return refuse(413, tooLarge(maxBytes));
      chunks.push(chunk);
    }
  } catch {
    // The client has gone, or its time is over: this answer reaches no reader.
    return refuse(400, "the body did not arrive");
  }
  return { kind: "body", bytes: Buffer.concat(chunks) };
}

function tooLarge(maxBytes: number): string {
  return `the body may have ${maxBytes} bytes`;
}

function refuse(status: number, reason: string): BodyOutcome {
  return { kind: "refused", answer: plainAnswer(status, reason, { connection: "close" }) };
}
