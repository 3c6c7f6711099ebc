/** The write path of the protocol as far as its tests of reading need it, over logs in memory. */
import { MemoryLog, offsetOf } from "../../src/server/http/durable-stream/memory-log.fixture.ts";
import { readBody } from "../../src/server/http/read-body.ts";
import type { Route } from "../../src/server/http/route-table.ts";
import { type HttpAnswer, plainAnswer, type RouteRequest } from "../../src/transport/http-routes.ts";

const MAX_BODY = 64 * 1024 * 1024;

export type WrittenLogs = Map<string, MemoryLog | "gone">;

/** Routes that create, append to, close, fork and delete the streams at a path. */
export function writingRoutes(path: string, logs: WrittenLogs): readonly Route[] {
  const sources = new Set<string>();

  async function create(request: RouteRequest, id: string): Promise<HttpAnswer> {
    if (logs.has(id)) return answerTail(200, logs.get(id));
    const [from, offset] = [headerOf(request, "stream-forked-from"), headerOf(request, "stream-fork-offset")];
    const sourceId = from?.split("/").at(-1) ?? "";
    const source = logs.get(sourceId);
    if (from !== undefined && !(source instanceof MemoryLog)) return plainAnswer(404, "no source");
    const type = headerOf(request, "content-type");
    const inherited = source instanceof MemoryLog ? source : null;
    if (inherited !== null) sources.add(sourceId);
    const entries = inherited?.before(offset ?? offsetOf(Number.MAX_SAFE_INTEGER)) ?? [];
    const log = new MemoryLog(inherited?.contentType ?? type ?? "application/octet-stream", entries);
    logs.set(id, log);
    await write(request, log);
    return answerTail(201, log);
  }

  async function append(request: RouteRequest, id: string): Promise<HttpAnswer> {
    const log = logs.get(id);
    if (!(log instanceof MemoryLog)) return plainAnswer(404, "no stream");
    if (log.isClosed) return plainAnswer(409, "closed", { "stream-closed": "true" });
    await write(request, log);
    return answerTail(204, log);
  }

  function remove(id: string): HttpAnswer {
    if (sources.has(id)) logs.set(id, "gone");
    else logs.delete(id);
    return { status: 204, headers: {}, body: null };
  }

  const route = (method: "PUT" | "POST" | "DELETE", answer: Route["answer"]): Route => ({
    methods: [method],
    path,
    access: "client",
    answer,
  });
  return [
    route("PUT", (request, { id = "" }) => create(request, id)),
    route("POST", (request, { id = "" }) => append(request, id)),
    route("DELETE", async (_, { id = "" }) => remove(id)),
  ];
}

async function write(request: RouteRequest, log: MemoryLog): Promise<void> {
  const body = await readBody(request, MAX_BODY);
  if (body.kind === "refused") throw new Error("the body is too large");
  if (body.bytes.length > 0) log.append(...messagesOf(log.contentType, body.bytes));
  if (headerOf(request, "stream-closed") === "true") log.close();
}

/** One level of an array of JSON is several messages. */
function messagesOf(contentType: string, bytes: Buffer): (Buffer | string)[] {
  if (!contentType.startsWith("application/json")) return [bytes];
  const value = JSON.parse(bytes.toString()) as unknown;
  return (Array.isArray(value) ? value : [value]).map((each) => JSON.stringify(each));
}

async function answerTail(status: number, log: MemoryLog | "gone" | undefined): Promise<HttpAnswer> {
  if (!(log instanceof MemoryLog)) return plainAnswer(409, "deleted");
  const { offset } = await log.tail();
  const headers = { "stream-next-offset": offset, "content-type": log.contentType };
  return { status, headers: { ...headers, ...(log.isClosed && { "stream-closed": "true" }) }, body: null };
}

function headerOf({ headers }: RouteRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
