/**
 * The connection to one MCP server. It is opened on first use and reopened after the server has died; a
 * server that could not be started stays failed until a retry is requested.
 *
 *   idle --ready()--> starting --> ready --server dies--> died --ready()--> starting
 *                        '-------> failed --retry()--> idle          any --close()--> closed
 *
 * A server that requires a login makes it fail, also when it had accepted the connection before; it is
 * reopened once a login is stored.
 */
import { messageOf } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json-object.ts";
import { inBackground } from "../../base/tasks.ts";
import type { ServerExtensions } from "./client-extensions.ts";
import { listAll, type McpClient } from "./mcp-client.ts";
import {
  failed,
  listTools,
  type McpConnectionOptions,
  type Opened,
  openMcpClient,
  toFailure,
} from "./open-client.ts";
import type { McpServerConfig } from "./server/server-config.ts";
import {
  describeStartup,
  type LoginNeededError,
  type McpOutcome,
  type StartupFailure,
  toRefusedCall,
} from "./server/server-failure.ts";
import { type McpCallOptions, RunningCalls } from "./server-call.ts";

export type McpConnectionState = { readonly kind: "idle" | "starting" | "died" | "closed" } | Opened;

export class McpConnection {
  readonly #config: McpServerConfig;
  readonly #extensions: ServerExtensions;
  readonly #options: McpConnectionOptions;
  readonly #listeners = new Set<(state: McpConnectionState) => void>();
  readonly #calls = new Set<Promise<unknown>>();
  /** Replaced clients with pending calls. */
  readonly #replaced = new Set<McpClient>();
  readonly #running: RunningCalls;
  #state: McpConnectionState = { kind: "idle" };
  #client: McpClient | null = null;
  #opening: Promise<Opened> | null = null;
  #stopStarting: (() => void) | null = null;
  #graceEnd: number | null = null;

  constructor(config: McpServerConfig, extensions: ServerExtensions, options: McpConnectionOptions) {
    this.#config = config;
    this.#extensions = extensions;
    this.#options = options;
    this.#running = new RunningCalls(config.name, options);
  }

  get state(): McpConnectionState {
    return this.#state;
  }

  onChange(listener: (state: McpConnectionState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Opens the connection if necessary, and returns the outcome. */
  ready(): Promise<Opened> {
    const state = this.#state;
    if (state.kind === "ready" || state.kind === "failed") return Promise.resolve(state);
    if (state.kind === "closed") return Promise.resolve(failed("the server is shutting down"));
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** As `ready`, but all callers waiting for one start share this timeout; null on timeout. */
  async readyWithin(graceMs: number): Promise<Opened | null> {
    const { clock } = this.#options;
    const opening = this.ready();
    if (this.#state.kind !== "starting") return opening;
    this.#graceEnd ??= clock.monotonic() + graceMs;
    let cancel: () => void = () => {};
    const late = new Promise<null>((resolve) => {
      cancel = clock.after(Math.max(0, (this.#graceEnd ?? 0) - clock.monotonic()), () => resolve(null));
    });
    const opened = await Promise.race([opening, late]);
    cancel();
    return opened;
  }

  /** Reconnects. Pending calls finish on their old connection. */
  async reopen(): Promise<void> {
    if (this.#opening !== null) await this.#opening;
    if (this.#state.kind === "idle" || this.#state.kind === "closed") return;
    this.#replaceClient();
    this.#enter({ kind: "idle" });
    await this.ready();
  }

  /** Replaces the client and closes it after its pending calls. */
  #replaceClient(): void {
    const client = this.#client;
    if (client === null) return;
    this.#client = null;
    this.#replaced.add(client);
    const closed = Promise.allSettled(this.#calls).then(async () => {
      if (this.#replaced.has(client)) await this.#drop(client);
    });
    inBackground(this.#options.log, "closing an MCP connection", closed);
  }

  /** The server accepted the connection, and later rejected it. */
  #refused(client: McpClient, refusal: LoginNeededError): void {
    if (this.#state.kind !== "ready" || this.#client !== client) return;
    this.#replaceClient();
    this.#enter(toFailure(refusal, this.#config, messageOf));
  }

  /** Clears a failed start. */
  retry(): void {
    if (this.#state.kind === "failed") this.#enter({ kind: "idle" });
  }

  request(method: string, params: JsonObject, options: McpCallOptions): Promise<McpOutcome<JsonObject>> {
    const call = this.#request(method, params, options).finally(() => this.#calls.delete(call));
    this.#calls.add(call);
    return call;
  }

  async #request(
    method: string,
    params: JsonObject,
    options: McpCallOptions,
  ): Promise<McpOutcome<JsonObject>> {
    const opened = await this.ready();
    const client = this.#client;
    if (opened.kind === "failed") return { kind: "failed", message: describeStartup(opened.failure) };
    if (client === null) return { kind: "failed", message: "Transport closed" };
    const outcome = await this.#running.request(client, method, params, options);
    if (outcome.kind !== "failed" || outcome.refusal === undefined) return outcome;
    this.#refused(client, outcome.refusal);
    return method === "tools/call" ? toRefusedCall(outcome.refusal) : outcome;
  }

  /** All entries of one of the server's lists. */
  async list(
    method: string,
    member: string,
    options: McpCallOptions,
  ): Promise<McpOutcome<readonly JsonObject[]>> {
    const client = {
      request: (name: string, params: JsonObject) => this.request(name, params, options),
    };
    const outcome = await listAll(client, method, member, options);
    return outcome.kind === "answered" ? { kind: "answered", result: outcome.result.entries } : outcome;
  }

  /** Closes the connection after its pending calls. */
  async retire(): Promise<void> {
    while (this.#calls.size > 0) await Promise.allSettled(this.#calls);
    await this.close();
  }

  async close(): Promise<void> {
    this.#enter({ kind: "closed" });
    this.#stopStarting?.();
    await this.#opening;
    await Promise.all([...this.#replaced, this.#client].map((client) => this.#drop(client)));
  }

  async #open(): Promise<Opened> {
    this.#graceEnd = null;
    this.#enter({ kind: "starting" });
    const opened = await this.#start();
    this.#opening = null;
    if (this.#state.kind !== "starting") return failed("the connection was closed while it was opened");
    this.#enter(opened);
    if (opened.kind === "failed")
      this.#options.log.warn("an MCP server failed to start", this.#fields(opened));
    return opened;
  }

  async #start(): Promise<Opened> {
    const { clock } = this.#options;
    const { startupTimeoutMs, unsupported } = this.#config;
    if (unsupported !== null) return failed(unsupported);
    let cancel: () => void = () => {};
    const cut = new Promise<Opened>((resolve) => {
      const timedOut: StartupFailure = { kind: "timedOut", seconds: startupTimeoutMs / 1000 };
      cancel = clock.after(startupTimeoutMs, () => resolve({ kind: "failed", failure: timedOut }));
      this.#stopStarting = () => resolve(failed("the server is shutting down"));
    });
    const given = new AbortController();
    const opened = await Promise.race([this.#handshake(given.signal), cut]);
    cancel();
    this.#stopStarting = null;
    given.abort();
    if (opened.kind === "failed") await this.#drop(this.#client);
    return opened;
  }

  #handshake(signal: AbortSignal): Promise<Opened> {
    return openMcpClient({
      config: this.#config,
      extensions: this.#extensions,
      options: this.#options,
      signal,
      onClient: (client) => {
        this.#client = client;
      },
      listener: {
        onClose: (client) => this.#died(client),
        onToolsChanged: () => void this.#readTools(),
        onFault: (error) => this.#options.log.debug("an MCP connection complained", this.#fields(error)),
        onElicitation: (params, each) => this.#running.elicit(params, each),
      },
    });
  }

  async #readTools(): Promise<void> {
    const client = this.#client;
    if (client === null || this.#state.kind !== "ready") return;
    const listed = await listTools(client, new AbortController().signal);
    const { state } = this;
    if (state.kind !== "ready" || this.#client !== client || listed.kind === "failed") return;
    this.#state = { kind: "ready", server: { ...state.server, ...listed.list } };
  }

  #died(client: McpClient | null): void {
    if (this.#state.kind !== "ready" || this.#client !== client) return;
    this.#client = null;
    this.#options.log.warn("an MCP server has ended; it is started again when it is needed", {
      server: this.#config.name,
    });
    this.#enter({ kind: "died" });
  }

  async #drop(client: McpClient | null): Promise<void> {
    if (client !== null) this.#replaced.delete(client);
    if (this.#client === client) this.#client = null;
    // A connection that fails to close is abandoned.
    await client?.close().catch((error: unknown) => {
      this.#options.log.debug("an MCP connection did not close", this.#fields(error));
    });
  }

  #enter(state: McpConnectionState): void {
    if (this.#state.kind === "closed") return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }

  #fields(detail: unknown) {
    return { server: this.#config.name, detail: detail instanceof Error ? messageOf(detail) : detail };
  }
}
