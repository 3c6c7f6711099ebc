/** An editor that speaks the Agent Client Protocol to an adapter: JSON-RPC 2.0, one message a line. */
import { EventEmitter, on } from "node:events";
import { within } from "../support/within.ts";
import type { ClientHarness } from "./client.ts";

const DEADLINE = 20_000;

export type Update = {
  readonly sessionUpdate: string;
  readonly content?: { readonly text?: string };
  readonly status?: string;
  readonly [key: string]: unknown;
};
type Message = {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly update?: Update; readonly options?: readonly PermissionOption[] };
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: unknown };
};
export type PermissionOption = { readonly optionId: string; readonly kind: string };

export interface AcpEditor {
  request<T>(method: string, params: object): Promise<T>;
  notify(method: string, params: object): void;
  /** The session updates received so far. */
  readonly updates: readonly Update[];
  /** Waits for the first matching update from now on. */
  update(fits: (update: Update) => boolean): Promise<Update>;
  /** The agent's text so far. */
  said(): string;
  /** The kind of option that is chosen for permission requests; `asked` counts them. */
  decide(kind: string): void;
  readonly asked: readonly (readonly PermissionOption[])[];
  /** Ends the adapter and the server that it has started. */
  close(): Promise<unknown>;
}

export async function openAcpEditor(harness: ClientHarness, adapter: string): Promise<AcpEditor> {
  const child = harness.start(process.execPath, [adapter], {
    CODEX_PATH: harness.executable,
    NO_BROWSER: "1",
  });
  const waiting = new Map<number | string, (message: Message) => void>();
  const updates: Update[] = [];
  const asked: (readonly PermissionOption[])[] = [];
  const events = new EventEmitter();
  let choice = "allow_once";
  let nextId = 0;
  let rest = "";

  const send = (message: object) => child.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  child.onStdout((text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") receive(JSON.parse(line) as Message);
  });

  function receive(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined) return waiting.get(id ?? "")?.(message);
    if (method === "session/update" && params?.update !== undefined) {
      updates.push(params.update);
      events.emit("update", params.update);
    } else if (method === "session/request_permission") {
      const options = params?.options ?? [];
      asked.push(options);
      const optionId = options.find(({ kind }) => kind === choice)?.optionId;
      const outcome = optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
      send({ id, result: { outcome } });
    } else if (id !== undefined) send({ id, error: { code: -32601, message: `${method} is unknown` } });
  }

  const editor: AcpEditor = {
    async request<T>(method: string, params: object): Promise<T> {
      const id = nextId++;
      const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
      send({ id, method, params });
      const { result, error } = await within(answer, DEADLINE, `the answer to ${method}`);
      if (error !== undefined)
        throw new Error(`${method}: ${error.message} ${JSON.stringify(error.data ?? "")}`);
      return result as T;
    },
    notify: (method, params) => send({ method, params }),
    updates,
    async update(fits) {
      const first = async (): Promise<Update> => {
        for await (const [update] of on(events, "update"))
          if (fits(update as Update)) return update as Update;
        throw new Error("the adapter has ended");
      };
      return await within(first(), DEADLINE, "an update of the session");
    },
    said: () =>
      updates
        .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
        .map(({ content }) => content?.text ?? "")
        .join(""),
    decide(kind) {
      choice = kind;
    },
    asked,
    close() {
      child.endInput();
      return within(child.exit, DEADLINE, "the end of the adapter");
    },
  };
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  await editor.request("initialize", { protocolVersion: 1, clientCapabilities });
  return editor;
}
