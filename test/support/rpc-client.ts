/** A JSON-RPC client for tests: it records every message in order, and every wait has a deadline. */
import { isObject, type JsonObject, parseJson } from "./json.ts";
import { matches, type Pattern } from "./matches.ts";
import type { Wire } from "./wire.ts";
import { DeadlineError } from "./within.ts";

const DEFAULT_DEADLINE = 10_000;
const QUIET_STEP = 10;

export type RequestId = string | number;

export type Received = {
  readonly kind: "response" | "notification" | "request" | "other";
  readonly message: JsonObject;
  /** The method of a notification or request, and of the request that a response answers. */
  readonly method: string | undefined;
};

export type RequestOptions = { readonly id?: RequestId; readonly milliseconds?: number };

export type RpcClient = {
  readonly received: readonly Received[];
  readonly wire: Wire;
  /** Sends a request and returns the whole response, an error response included. */
  request(method: string, params?: unknown, options?: RequestOptions): Promise<JsonObject>;
  /** Like `request`, but returns the result and throws on an error response. */
  result(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  /** Sends a request without waiting; `response` waits for its answer. */
  send(method: string, params?: unknown, id?: RequestId): RequestId;
  response(id: RequestId, milliseconds?: number): Promise<JsonObject>;
  notify(method: string, params?: unknown): void;
  answer(id: RequestId, result: unknown): void;
  refuse(id: RequestId, error: { code: number; message: string }): void;
  /** The first matching message that no earlier `next` has returned. */
  next(pattern: Pattern, milliseconds?: number): Promise<JsonObject>;
  /**
   * From now on matching messages are neither parsed nor recorded, so that this client does not slow down
   * what it measures.
   */
  skip(matches: (text: string) => boolean): void;
  /** Resolves when nothing has arrived for the given time. */
  quiet(milliseconds: number): Promise<void>;
  close(): Promise<void>;
};

type Waiter = {
  readonly accepts: (entry: Received) => boolean;
  readonly give: (entry: Received) => void;
};

export function createRpcClient(wire: Wire): RpcClient {
  const received: Received[] = [];
  const taken = new Set<Received>();
  const waiters = new Set<Waiter>();
  const methods = new Map<RequestId, string>();
  let lastId = 0;
  let skips: (text: string) => boolean = () => false;

  wire.onText((text) => {
    if (skips(text)) return;
    const entry = classify(text, methods);
    received.push(entry);
    for (const waiter of waiters) {
      if (waiter.accepts(entry)) {
        waiters.delete(waiter);
        waiter.give(entry);
        break;
      }
    }
  });

  function take(accepts: (entry: Received) => boolean, milliseconds: number, what: string) {
    const waiting = received.find((entry) => !taken.has(entry) && accepts(entry));
    if (waiting !== undefined) {
      taken.add(waiting);
      return Promise.resolve(waiting.message);
    }
    return new Promise<JsonObject>((resolve, reject) => {
      const waiter: Waiter = {
        accepts,
        give: (entry) => {
          clearTimeout(timer);
          taken.add(entry);
          resolve(entry.message);
        },
      };
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        reject(new DeadlineError(`${what} did not arrive within ${milliseconds} ms`));
      }, milliseconds);
      waiters.add(waiter);
    });
  }

  function send(method: string, params?: unknown, id?: RequestId): RequestId {
    const used = id ?? ++lastId;
    methods.set(used, method);
    wire.send(JSON.stringify({ id: used, method, ...(params === undefined ? {} : { params }) }));
    return used;
  }

  function response(id: RequestId, milliseconds = DEFAULT_DEADLINE): Promise<JsonObject> {
    const what = `the response to ${methods.get(id) ?? "a request"} (id ${id})`;
    return take((entry) => entry.kind === "response" && entry.message["id"] === id, milliseconds, what);
  }

  const request: RpcClient["request"] = (method, params, options) =>
    response(send(method, params, options?.id), options?.milliseconds);

  return {
    skip(matches) {
      skips = matches;
    },
    received,
    wire,
    request,
    send,
    response,
    async result(method, params, options) {
      const answer = await request(method, params, options);
      if ("error" in answer) throw new Error(`${method} failed: ${JSON.stringify(answer["error"])}`);
      return answer["result"];
    },
    notify: (method, params) =>
      wire.send(JSON.stringify({ method, ...(params === undefined ? {} : { params }) })),
    answer: (id, result) => wire.send(JSON.stringify({ id, result })),
    refuse: (id, error) => wire.send(JSON.stringify({ id, error })),
    next: (pattern, milliseconds = DEFAULT_DEADLINE) =>
      take(
        (entry) => matches(entry.message, pattern),
        milliseconds,
        `a message like ${JSON.stringify(pattern)}`,
      ),
    async quiet(milliseconds) {
      // In short steps, which take longer on a busy machine, where a message may also take longer to arrive.
      let last = received.length;
      for (let still = 0; still < milliseconds; still += QUIET_STEP) {
        await new Promise((resolve) => setTimeout(resolve, QUIET_STEP));
        if (received.length > last) still = -QUIET_STEP;
        last = received.length;
      }
    },
    async close() {
      wire.close();
      await wire.ended;
    },
  };
}

function classify(text: string, methods: ReadonlyMap<RequestId, string>): Received {
  const message = parseJson(text);
  if (!isObject(message)) return { kind: "other", message: { text }, method: undefined };
  const { id, method } = message;
  if (typeof method === "string")
    return { kind: id === undefined ? "notification" : "request", message, method };
  const answered = typeof id === "string" || typeof id === "number" ? methods.get(id) : undefined;
  return { kind: "response", message, method: answered };
}
