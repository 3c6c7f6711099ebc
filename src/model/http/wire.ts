/** How a wire format of a provider is spoken: one implementation per format. */

import type { JsonObject } from "../../base/json-object.ts";
import type { Failure } from "../failure/failure.ts";
import type { ModelEvent, ModelRequest } from "../model.ts";

export interface Wire {
  /** Below the provider's base address. */
  readonly path: string;
  /** What every request says; headers of the provider's settings win. */
  readonly headers: Readonly<Record<string, string>>;
  /** How a request carries the key. */
  login(token: string): Readonly<Record<string, string>>;
  toBody(request: ModelRequest): JsonObject;
  /** Whether the body has the request's own tools, which are the same objects each time. */
  readonly sendsToolsAsGiven: boolean;
  createReader(request: ModelRequest): WireReader;
}

/** Reads the messages of one answer, in order. Whatever they hold, it never throws. */
export interface WireReader {
  /** Appends what a message means; says how the answer ends, or null while it goes on. */
  read(data: string, events: ModelEvent[]): ResponseEnd | null;
  /** The provider sends no more: appends what is still owed and says how the answer ended. */
  finish(events: ModelEvent[]): ResponseEnd;
}

export type ResponseEnd = "completed" | Failure;

export function withBearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}
