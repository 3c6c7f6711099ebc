/** The connection of the page: one client, and what is known about it. */

import { batch, signal } from "@preact/signals";
import { messageOf } from "../../base/errors.ts";
import { type Client, connect } from "../../client/browser.ts";
import type { AccessScope } from "../../protocol/generated/types.ts";
import { enter, serverAddress } from "./session.ts";

export type ConnectionKind = "connecting" | "live" | "reconnecting" | "offline" | "refused";

export interface ConnectionStatus {
  readonly kind: ConnectionKind;
  readonly reason: string | null;
  /** When the connection was lost, in milliseconds. */
  readonly sinceMs: number;
}

const EVERY_SCOPE: readonly AccessScope[] = ["read", "answer", "operate", "admin"];

/** While the page is open it tries to connect again. */
const RECONNECT_FOR_MS = 24 * 60 * 60 * 1000;

export const status = signal<ConnectionStatus>({ kind: "connecting", reason: null, sinceMs: Date.now() });
export const client = signal<Client | null>(null);
export const heldScopes = signal<readonly AccessScope[]>(EVERY_SCOPE);
export const subject = signal<string | null>(null);
/** The current time, for ages: it moves every half minute. */
export const now = signal(Date.now());

type Connected = (client: Client) => void;
const onConnected = new Set<Connected>();

/** Calls back now if there is a connection, and after each time that it was lost. */
export function whenConnected(callback: Connected): () => void {
  onConnected.add(callback);
  const current = client.peek();
  if (current !== null && status.peek().kind === "live") callback(current);
  return () => void onConnected.delete(callback);
}

export async function start(): Promise<void> {
  setInterval(() => {
    now.value = Date.now();
  }, 30_000);
  addEventListener("offline", () => setStatus("offline", "the network is down"));
  const admission = await enter();
  if (admission.kind === "refused") return setStatus("refused", admission.reason);
  await connectPage();
}

export async function connectPage(): Promise<void> {
  try {
    const opened = await connect(serverAddress(), {
      clientInfo: { name: "heddle_console", title: "Heddle console", version: "1" },
      capabilities: { experimentalApi: true, resumableEvents: true, threadSummaries: true },
      reconnect: { forMs: RECONNECT_FOR_MS },
      onWarning: () => {},
      onConnectionChange(state) {
        if (state.kind === "connected") notifyConnected();
        else if (state.kind === "reconnecting") setStatus("reconnecting", state.reason);
        else setStatus("refused", "the server has closed the connection");
      },
    });
    // Questions are answered by their ids in the inbox; until then the server waits for an answer of anybody.
    for (const method of QUESTIONS) opened.answer(method, () => new Promise<never>(() => {}));
    readIdentity(opened);
    batch(() => {
      client.value = opened;
      setStatus("live", null);
    });
    notifyConnected();
  } catch (error) {
    setStatus("refused", messageOf(error));
  }
}

const QUESTIONS = [
  "item/commandExecution/requestApproval",
  "item/fileChange/requestApproval",
  "item/permissions/requestApproval",
  "item/tool/requestUserInput",
  "mcpServer/elicitation/request",
] as const;

/** Reads the scopes of this connection from the response to `initialize`. */
function readIdentity({ serverInfo }: Client): void {
  const { access } = serverInfo;
  heldScopes.value = access?.scopes ?? EVERY_SCOPE;
  subject.value = access?.subject ?? null;
}

function notifyConnected(): void {
  setStatus("live", null);
  const current = client.peek();
  if (current === null) return;
  readIdentity(current);
  for (const callback of Array.from(onConnected)) callback(current);
}

function setStatus(kind: ConnectionKind, reason: string | null): void {
  status.value = { kind, reason, sinceMs: Date.now() };
}
