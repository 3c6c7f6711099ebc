/**
 * The app-server session of a client that also speaks MCP on the same connection. It is opened by the first
 * app-server request, with the client info that the MCP server received.
 */

import { objectMember, textMember } from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { encodeRequest, isEncodedResponse, withoutTimestamp } from "../../jsonrpc/message.ts";
import { createMemoryTransports } from "../../transport/memory.ts";
import type { OutboundBacklog, OutgoingKind, Transport } from "../../transport/transport.ts";

export interface AppSession {
  /** Forwards a request; the first one opens the session. */
  request(text: string, method: string): void;
  /** Forwards a notification or a response; dropped if no session is open. */
  relay(text: string): void;
  readonly isBusy: boolean;
  close(): void;
}

export interface AppSessionOptions {
  readonly connect: (transport: Transport) => void;
  readonly send: (text: string, kind: OutgoingKind) => void;
  /** The backlog of the client. */
  readonly backlog: OutboundBacklog | undefined;
  /** Null until the client has initialized the MCP server. */
  readonly introduction: () => Introduction | null;
  /** Called whenever the last request in flight has been answered. */
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
    // A client that has initialized the MCP server need not initialize the app-server as well.
    const known = method === "initialize" ? null : introduction();
    let hiddenResponses = known === null ? 0 : 1;
    ours.start({
      message(text) {
        const isResponse = isEncodedResponse(text);
        if (isResponse && hiddenResponses > 0) {
          hiddenResponses -= 1;
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

/**
 * Adds `jsonrpc`, which MCP requires, and removes our timestamp, because MCP clients reject unknown members.
 */
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
  // The app-server sends the name in an HTTP header.
  const name = (textMember(info, "name") ?? "").replaceAll(/[^\x20-\x7e]/gu, "_");
  return {
    clientInfo: { name: name === "" ? "mcp-client" : name, version: textMember(info, "version") ?? "0" },
    legacyApprovals: declares(capabilities, "legacyApprovals"),
    experimentalApi: declares(capabilities, "experimentalApi"),
    elicitation: objectMember(capabilities, "elicitation") !== null,
  };
}

/**
 * SDKs forward unknown capabilities only under `experimental`; other clients declare them at the top level.
 */
function declares(capabilities: JsonObject, name: string): boolean {
  const extra = objectMember(capabilities, "experimental")?.[name];
  return capabilities[name] === true || extra === true || isObject(extra);
}
