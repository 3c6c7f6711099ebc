/**
 * A model that an embedding program brings along: an object behind the port, or a function that answers with a text,
 * with pieces of one, or with events. Whatever it does, it ends as the port promises.
 */
import { messageOf } from "../../base/errors.ts";
import { isObject } from "../../base/json-object.ts";
import { failureOf } from "../failure/failure.ts";
import { parseOutputItem } from "../items/output-item.ts";
import type { FailedEvent, Model, ModelEvent, ModelRequest } from "../model.ts";

/** Pieces of text and events may be mixed; text that stands together is one message. */
export type ModelAnswer = string | Promise<string> | AsyncIterable<string | ModelEvent>;

export type ModelFunction = (request: ModelRequest, signal: AbortSignal) => ModelAnswer;

export type CustomModel = ModelFunction | Pick<Model, "stream"> | Model;

export function openCustomModel(own: CustomModel): Model {
  const batches = typeof own === "function" ? byFunction(own) : own.stream.bind(own);

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    if (signal.aborted) return;
    try {
      for await (const batch of batches(request, signal)) {
        if (signal.aborted) return;
        yield batch.every(isAccepted) ? batch : batch.filter(isAccepted);
        if (batch.some(isEnd)) return;
      }
    } catch (error) {
      if (!signal.aborted) yield [failed(messageOf(error))];
      return;
    }
    if (!signal.aborted) yield [failed("the model ended without an end")];
  }

  return { stream, close: () => ("close" in own ? own.close() : undefined) };
}

const isEnd = ({ type }: ModelEvent): boolean => type === "completed" || type === "failed";

const isAccepted = (event: ModelEvent): boolean =>
  (event.type !== "itemAdded" && event.type !== "itemDone") || parseOutputItem(event.item) !== null;

const failed = (detail: string): FailedEvent => ({
  type: "failed",
  error: failureOf("unusable", { detail }).error,
});

function byFunction(answer: ModelFunction) {
  return async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent[]> {
    const said = answer(request, signal);
    const message = createMessage(request.input.length);
    yield [{ type: "created" }];
    for await (const piece of isIterable(said) ? said : [await said]) {
      if (typeof piece === "string") yield message.add(piece);
      else {
        yield [...message.end(), piece];
        if (isEnd(piece)) return;
      }
    }
    yield [
      ...message.end(),
      { type: "completed", responseId: `own-${request.input.length}`, usage: null, endTurn: null },
    ];
  };
}

function isIterable(said: ModelAnswer): said is AsyncIterable<string | ModelEvent> {
  return isObject(said) && Symbol.asyncIterator in said;
}

/** Text as an item that grows, from its first piece on. */
function createMessage(place: number) {
  let count = 0;
  let text: string | null = null;
  const itemOf = (content: string) => ({
    type: "message" as const,
    id: `msg_own_${place}_${count}`,
    role: "assistant",
    content: [{ type: "output_text" as const, text: content }],
  });
  return {
    add(delta: string): ModelEvent[] {
      const isFirst = text === null;
      text = (text ?? "") + delta;
      const grown: ModelEvent = { type: "textDelta", itemId: itemOf("").id, delta };
      return isFirst ? [{ type: "itemAdded", item: itemOf("") }, grown] : [grown];
    },
    end(): ModelEvent[] {
      if (text === null) return [];
      const done: ModelEvent = { type: "itemDone", item: itemOf(text) };
      count += 1;
      text = null;
      return [done];
    },
  };
}
