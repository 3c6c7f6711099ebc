import { platform } from "node:os";
import type { InitializeParams, InitializeResponse } from "../../protocol/generated/types.ts";
import { type Identity, isHeaderValue } from "../../runtime/configuration/identity.ts";
import { readClientExtensions } from "../../tools/mcp/client-extensions.ts";
import { type ClientConnection, startGreeting } from "../connections/client-connection.ts";
import { quirksOf } from "../connections/client-quirks.ts";
import { type Handlers, invalidRequest } from "../connections/handler.ts";
import type { CompletedHandshake } from "../connections/handshake.ts";

/** Notifications that a client wants without a subscription. */
export interface ClientWants {
  readonly threadSummaries: boolean;
}

export interface InitializeOptions {
  readonly home: string;
  readonly identity: Identity;
  /** Sends the first notifications of a client; called after the response to `initialize`. */
  readonly greet: (connection: ClientConnection, wants: ClientWants) => Promise<void>;
}

export function createInitializeHandlers({
  home,
  identity,
  greet,
}: InitializeOptions): Handlers<"initialize"> {
  return {
    initialize({ clientInfo, capabilities }, { connection, afterResponse }) {
      const { name, version } = clientInfo;
      if (!isHeaderValue(name)) {
        throw invalidRequest(`Invalid clientInfo.name: '${name}'. Must be a valid HTTP header value.`);
      }
      connection.follows = wants("resumableEvents", capabilities) ? new Map() : null;
      const threadSummaries = wants("threadSummaries", capabilities);
      connection.handshake = {
        phase: "ready",
        clientName: name,
        clientVersion: version,
        ...readCapabilities(capabilities),
      };
      if (!quirksOf(name).isSupervisor) identity.adopt(name, version);
      afterResponse(() => startGreeting(connection, () => greet(connection, { threadSummaries })));
      return {
        userAgent: identity.userAgent,
        codexHome: home,
        platformFamily: platform() === "win32" ? "windows" : "unix",
        platformOs: PLATFORM_NAMES[platform()] ?? platform(),
        ...accessOf(connection),
      };
    },
  };
}

/** The scopes of a client with a token. A client without a token has all of them. */
function accessOf({
  isLimited,
  subject,
  scopes,
  handshake,
}: ClientConnection): Pick<InitializeResponse, "access"> {
  if (!isLimited || handshake.phase !== "ready" || !handshake.experimental) return {};
  return { access: { subject, scopes: [...scopes] } };
}

function wants(
  name: "resumableEvents" | "threadSummaries",
  capabilities: InitializeParams["capabilities"],
): boolean {
  if (capabilities?.[name] !== true) return false;
  if (capabilities.experimentalApi === true) return true;
  throw invalidRequest(`capabilities.${name} needs capabilities.experimentalApi`);
}

function readCapabilities(
  capabilities: InitializeParams["capabilities"],
): Omit<CompletedHandshake, "phase" | "clientName" | "clientVersion"> {
  const { experimentalApi, optOutNotificationMethods, legacyApprovals, extensions, ...rest } =
    capabilities ?? {};
  return {
    experimental: experimentalApi ?? false,
    optedOut: new Set(optOutNotificationMethods ?? []),
    legacyApprovals: legacyApprovals ?? false,
    mcp: readClientExtensions(extensions ?? null, rest.mcpServerOpenaiFormElicitation ?? false),
  };
}

/** The names of Rust, which the peer uses. */
const PLATFORM_NAMES: Readonly<Record<string, string>> = { darwin: "macos", win32: "windows" };

export interface DiagnosticsOptions {
  /** Values of the server's gauges, by name. */
  readonly gauges: () => Readonly<Record<string, number>>;
}

export function createDiagnosticsHandlers({ gauges }: DiagnosticsOptions): Handlers<"server/diagnostics"> {
  return {
    "server/diagnostics": () => ({
      process: {
        id: process.pid,
        residentMemoryBytes: process.memoryUsage.rss(),
        physicalFootprintBytes: null,
      },
      gauges: Object.entries(gauges()).map(([name, value]) => ({ name, value })),
    }),
  };
}
