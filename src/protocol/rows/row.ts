// What is declared about a message besides its shape: whether it is stable, what it must wait for, who
// receives it.

import { define, object, type Shape } from "./shape.ts";

export type Stability = "stable" | "experimental";

/** What a request waits for: requests of the same kind and key run one after the other. */
export type Order =
  | { readonly kind: "free" }
  | { readonly kind: "thread"; readonly orField?: string }
  | { readonly kind: "global"; readonly lane: string; readonly access: "shared" | "exclusive" }
  | { readonly kind: "connection"; readonly field: string };

export const free: Order = { kind: "free" };

/** In turn with everything else that has the same `threadId`; free where no thread is named. */
export const byThread: Order = { kind: "thread" };

/** As `byThread`; where the thread id is empty, the path of the rollout is the key. */
export const byThreadOrPath: Order = { kind: "thread", orField: "path" };

/** Together with other readers of a lane, but not with its writers. */
export const shared = (lane: string): Order => ({ kind: "global", lane, access: "shared" });
export const exclusive = (lane: string): Order => ({ kind: "global", lane, access: "exclusive" });

/** In turn with requests of the same connection that have the same value in `field`. */
export const perConnection = (field: string): Order => ({ kind: "connection", field });

/** `family`: the subscribers of a thread and of the threads that spawned it. */
type Audience = "all" | "thread" | "family" | "connection";

export interface RequestRow {
  readonly summary: string;
  readonly stability: Stability;
  readonly params: Shape | null;
  readonly paramsOptional?: true;
  readonly result: Shape;
  readonly order: Order;
  /** Whether it can be sent again after its response was lost: always, or where the params have this key. */
  readonly idempotent?: true | { readonly key: string };
  /** A member that params once had, and that is refused: who still sends it relies on what is gone. */
  readonly removed?: RemovedMember;
  /** The file of handlers that serves it, where that is loaded on first use; a start loads the others. */
  readonly handlers?: string;
}

export interface RemovedMember {
  readonly name: string;
  /** The member of the params that it is in; in the params themselves where it is absent. */
  readonly within?: string;
  readonly instead: string;
}

/** A protection by a profile that was part of the request. */
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
  /** The flag of the thread's status that it raises while it is open; none where no person has to do with it. */
  readonly raises?: "approval" | "question";
}

export interface NotificationRow {
  readonly summary: string;
  readonly stability: Stability;
  readonly params: Shape;
  readonly audience: Audience;
  /** Whether it is a piece of the item that its `itemId` names, by which that grows between its beginning and its end. */
  readonly isPiece?: true;
  /** Whether the end of the item repeats it: a client that is behind with reading can do without it. */
  readonly isRepeatedLater?: true;
}

export const request = (row: RequestRow): RequestRow => row;
export const serverRequest = (row: ServerRequestRow): ServerRequestRow => row;
export const notification = (row: NotificationRow): NotificationRow => row;

/** The result of a request that has nothing to say but that it was done. */
export const emptyResult = (name: string): Shape => define(name, object({}));
