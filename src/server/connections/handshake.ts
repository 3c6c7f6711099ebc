import type { ClientExtensions } from "../../tools/mcp/client-extensions.ts";

/**
 * The state of a connection's handshake. A new connection may only initialize; a ready one may not again.
 *
 *     new --initialize--> ready --close--> closed
 *      \_____________________close_________/
 */
export type Handshake = { readonly phase: "new" } | CompletedHandshake | { readonly phase: "closed" };

export interface CompletedHandshake {
  readonly phase: "ready";
  readonly clientName: string;
  readonly clientVersion: string;
  /** Unlocks experimental methods, fields, values and notifications. */
  readonly experimental: boolean;
  /** Notification methods that this client has opted out of. */
  readonly optedOut: ReadonlySet<string>;
  /** The client receives approvals in the form of the legacy protocol. */
  readonly legacyApprovals: boolean;
  /** The MCP extensions that the client supports. */
  readonly mcp: ClientExtensions;
}
