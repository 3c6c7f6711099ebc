/** The interface of a provider's wire format. */

import type { JsonObject } from "../../base/json-object.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { ModelFailure } from "../failure/failure.ts";
import type { ModelEvent, ModelRequest } from "../model.ts";

export interface WireFormat {
  /** Relative to the provider's base URL. */
  readonly path: string;
  /** Headers of every request; those of the provider's settings take precedence. */
  readonly headers: Readonly<Record<string, string>>;
  /** The headers with the API key. */
  authHeaders(token: string): Readonly<Record<string, string>>;
  toBody(request: ModelRequest): JsonObject;
  /**
   * Set if the members `input` and `tools` of the body are the request's own objects, so that their JSON can be cached by
   * identity, apart from the items for which it returns false.
   */
  readonly passesThrough: ((item: ResponseItem) => boolean) | null;
  createReader(request: ModelRequest): WireReader;
}

/** Parses the messages of one response in order. Never throws, whatever they contain. */
export interface WireReader {
  /** Appends the events of a message; returns the end of the response, or null if it continues. */
  read(data: string, events: ModelEvent[]): ResponseEnd | null;
  /** The stream has ended: appends pending events and returns how the response ended. */
  finish(events: ModelEvent[]): ResponseEnd;
}

export type ResponseEnd = "completed" | ModelFailure;

export function withBearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}
