// Properties of a message beside its shape: stability, lane, audience.

import type { AccessScope } from "../generated/types.ts";
import { define, object, type Shape } from "./shape.ts";

export type Stability = "stable" | "experimental";

/** The order of a request: requests with the same kind and key run one after the other. */
export type Order =
  | { readonly kind: "free" }
  | { readonly kind: "thread"; readonly orField?: string }
  | { readonly kind: "global"; readonly lane: string; readonly access: "shared" | "exclusive" }
  | { readonly kind: "connection"; readonly field: string };

export const free: Order = { kind: "free" };

/** Serialized with all requests for the same `threadId`; concurrent if there is no thread id. */
export const byThread: Order = { kind: "thread" };

/** As `byThread`; if the thread id is empty, the rollout path is the key. */
export const byThreadOrPath: Order = { kind: "thread", orField: "path" };

/** Concurrent with other readers of a lane, exclusive with its writers. */
export const shared = (lane: string): Order => ({ kind: "global", lane, access: "shared" });
export const exclusive = (lane: string): Order => ({ kind: "global", lane, access: "exclusive" });

/** Serialized with requests of the same connection that have the same value in `field`. */
export const perConnection = (field: string): Order => ({ kind: "connection", field });

/** `family`: the subscribers of a thread and of the threads that spawned it. */
type Audience = "all" | "thread" | "family" | "connection";

export interface RequestRow {
  readonly summary: string;
  readonly stability: Stability;
  /** The scope that a connection needs for it. */
  readonly scope: AccessScope;
  readonly params: Shape | null;
  readonly paramsOptional?: true;
  readonly result: Shape;
  readonly order: Order;
  /** Whether the request may be sent again after a lost response: always, or if the params have this key. */
  readonly idempotent?: true | { readonly key: string };
  /** Whether the audit log has it, where a client with a token makes it. */
  readonly isAudited?: true;
  /** A former member that is now rejected, because a client that sends it relies on a removed feature. */
  readonly removed?: RemovedMember;
  /** The handler file, if it is loaded on first use; other handlers are loaded at start. */
  readonly handlers?: string;
}

export interface RemovedMember {
  readonly name: string;
  /** The member of the params that contains it; absent for the params themselves. */
  readonly within?: string;
  readonly instead: string;
}

/** The permission profile that used to be part of the request. */
export const permissionProfile = (within?: string): RemovedMember => ({
  name: "permissionProfile",
  ...(within !== undefined && { within }),
  instead: "use `permissions` with a named profile id instead",
});

export interface ServerRequestRow {
  readonly summary: string;
  readonly stability: Stability;
  readonly params: Shape;
  readonly result: Shape;
  /** The flag of the thread's status while the request is open; absent if no user is involved. */
  readonly raises?: "approval" | "question";
}

export interface NotificationRow {
  readonly summary: string;
  readonly stability: Stability;
  readonly params: Shape;
  readonly audience: Audience;
  /** Whether it is a delta of the item that `itemId` names. */
  readonly isPiece?: true;
  /** Whether it follows from the lines of a thread, so that a client which comes back can be sent it again. */
  readonly isDurable?: true;
  /** Whether the completed item contains it, so that a slow client can do without it. */
  readonly isRepeatedLater?: true;
  /** With this `reason` it is sent only to clients with the experimental capability, because others cannot read it. */
  readonly experimentalReason?: string;
}

export const request = (row: RequestRow): RequestRow => row;
export const serverRequest = (row: ServerRequestRow): ServerRequestRow => row;
export const notification = (row: NotificationRow): NotificationRow => row;

/** An empty result. */
export const emptyResult = (name: string): Shape => define(name, object({}));
