/**
 * The app-server session of a client that also speaks MCP on the same connection; opened by its first request, with
 * what the client said of itself to the MCP server.
 */

import { objectMember, textMember } from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { encodeRequest, isEncodedResponse, withoutTimestamp } from "../../jsonrpc/message.ts";
import { createMemoryTransports } from "../../transport/memory.ts";
import type { OutboundBacklog, OutgoingKind, Transport } from "../../transport/transport.ts";

export interface AppSession {
  /** Passes a request on; the first one opens the session. */
  request(text: string, method: string): void;
  /** Passes on a notification or an answer; without a session nobody waits for it. */
  relay(text: string): void;
  readonly isBusy: boolean;
  close(): void;
}

export interface AppSessionOptions {
  readonly connect: (transport: Transport) => void;
  readonly send: (text: string, kind: OutgoingKind) => void;
  /** What waits where this is sent to. */
  readonly backlog: OutboundBacklog | undefined;
  /** Null until the client has introduced itself as an MCP client. */
  readonly introduction: () => Introduction | null;
  /** Called whenever the last request under way has been answered. */
  readonly onIdle: () => void;
}

export function createAppSession({
  connect,
  send,
  backlog,
  introduction,
  onIdle,
}: AppSessionOptions): AppSession {
  let transport: Transport | null = null;
  let inFlight = 0;

  function open(method: string): Transport {
    const [theirs, ours] = createMemoryTransports(backlog);
    // A client that has said to the MCP server who it is need not say it again.
    const known = method === "initialize" ? null : introduction();
    let welcomes = known === null ? 0 : 1;
    ours.start({
      message(text) {
        const isResponse = isEncodedResponse(text);
        if (isResponse && welcomes > 0) {
          welcomes -= 1;
          return;
        }
        send(toMcpText(text), isResponse ? "response" : "notice");
        if (isResponse) inFlight -= 1;
        if (isResponse && inFlight === 0) onIdle();
      },
      closed: () => {},
    });
    connect(theirs);
    if (known !== null) ours.send(encodeRequest(0, "initialize", toParams(known)), "response");
    return ours;
  }

  return {
    request(text, method) {
      transport ??= open(method);
      inFlight += 1;
      transport.send(text, "response");
    },
    relay: (text) => transport?.send(text, "response"),
    get isBusy() {
      return inFlight > 0;
    },
    close: () => transport?.close(),
  };
}

function toParams({ clientInfo, legacyApprovals, experimentalApi }: Introduction) {
  return { clientInfo: { ...clientInfo, title: null }, capabilities: { experimentalApi, legacyApprovals } };
}

/** MCP names its version in every message, and its clients take no member beside those that it knows. */
export function toMcpText(text: string): string {
  return `{"jsonrpc":"2.0",${withoutTimestamp(text).slice(1)}`;
}

export interface Introduction {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly legacyApprovals: boolean;
  readonly experimentalApi: boolean;
  readonly elicitation: boolean;
}

export function readIntroduction(params: unknown): Introduction {
  const given = isObject(params) ? params : {};
  const info = objectMember(given, "clientInfo") ?? {};
  const capabilities = objectMember(given, "capabilities") ?? {};
  // The app-server passes the name on in a header.
  const name = (textMember(info, "name") ?? "").replaceAll(/[^\x20-\x7e]/gu, "_");
  return {
    clientInfo: { name: name === "" ? "mcp-client" : name, version: textMember(info, "version") ?? "0" },
    legacyApprovals: declares(capabilities, "legacyApprovals"),
    experimentalApi: declares(capabilities, "experimentalApi"),
    elicitation: objectMember(capabilities, "elicitation") !== null,
  };
}

/** MCP keeps a place for what is not its own, which SDKs let through; others put it beside the rest. */
function declares(capabilities: JsonObject, name: string): boolean {
  const extra = objectMember(capabilities, "experimental")?.[name];
  return capabilities[name] === true || extra === true || isObject(extra);
}
