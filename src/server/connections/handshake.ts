import type { ClientExtensions } from "../../tools/mcp/client-extensions.ts";

/**
 * What a connection has agreed on. A new connection may only initialize; a ready one may not again.
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
  /** Notification methods that this client does not want. */
  readonly optedOut: ReadonlySet<string>;
  /** The client takes approvals in the form of the earlier protocol generation. */
  readonly legacyApprovals: boolean;
  /** What the client can do for MCP servers. */
  readonly mcp: ClientExtensions;
}
