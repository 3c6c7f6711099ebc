/** A client of a server that may die at any time: a lost response is a value. */
import { isObject, type JsonObject, parseJson } from "../support/json.ts";
import type { Wire } from "../support/wire.ts";

export type Answer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** The server died before it responded. */
  | { readonly kind: "lost" };

export type CrashClient = {
  request(method: string, params: object): Promise<Answer>;
};

export type CrashClientOptions = {
  readonly onNotification: (method: string, params: JsonObject) => void;
  /** Called for every message, after it was processed. */
  readonly onMessage: () => void;
  /** Called for an error that no request may ever get. */
  readonly onBadAnswer: (method: string, params: object, error: JsonObject) => void;
};

/** Method not found, and internal error. */
const BAD_CODES: readonly unknown[] = [-32601, -32603];

export function createCrashClient(wire: Wire, options: CrashClientOptions): CrashClient {
  const waiting = new Map<
    number,
    { readonly method: string; readonly params: object; readonly resolve: (answer: Answer) => void }
  >();
  let lastId = 0;
  let isGone = false;

  function take(message: JsonObject): void {
    const { id, method, params } = message;
    if (typeof method === "string") {
      if (id === undefined) options.onNotification(method, isObject(params) ? params : {});
      else wire.send(JSON.stringify({ id, error: { code: -32601, message: "not known here" } }));
      return;
    }
    const asked = typeof id === "number" ? waiting.get(id) : undefined;
    if (asked === undefined) return;
    waiting.delete(Number(id));
    const { error, result } = message;
    if (!isObject(error)) {
      asked.resolve({ kind: "result", result: isObject(result) ? result : {} });
      return;
    }
    if (BAD_CODES.includes(error["code"])) options.onBadAnswer(asked.method, asked.params, error);
    asked.resolve({ kind: "error", code: Number(error["code"]), message: String(error["message"]) });
  }

  wire.onText((text) => {
    const message = parseJson(text);
    if (!isObject(message)) return;
    take(message);
    options.onMessage();
  });
  void wire.ended.then(() => {
    isGone = true;
    for (const { resolve } of waiting.values()) resolve({ kind: "lost" });
    waiting.clear();
  });
  return {
    request(method, params) {
      if (isGone) return Promise.resolve({ kind: "lost" });
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        waiting.set(id, { method, params, resolve });
        wire.send(JSON.stringify({ id, method, params }));
      });
    },
  };
}
