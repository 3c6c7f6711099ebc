/**
 * A model supplied by an embedding program: an object that implements the port, or a function that returns a text, a
 * stream of text chunks, or events. Whatever it does, the stream ends as the port guarantees.
 */
import { messageOf } from "../../base/errors.ts";
import { isObject } from "../../base/json-object.ts";
import { createModelFailure } from "../failure/failure.ts";
import { parseOutputItem } from "../items/output-item.ts";
import type { FailedEvent, Model, ModelEvent, ModelRequest } from "../model.ts";

/** Text chunks and events may be mixed; consecutive chunks form one message. */
export type ModelAnswer = string | Promise<string> | AsyncIterable<string | ModelEvent>;

export type ModelFunction = (request: ModelRequest, signal: AbortSignal) => ModelAnswer;

export type CustomModel = ModelFunction | Pick<Model, "stream"> | Model;

export function openCustomModel(custom: CustomModel): Model {
  const batches = typeof custom === "function" ? toStream(custom) : custom.stream.bind(custom);

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

  return { stream, close: () => ("close" in custom ? custom.close() : undefined) };
}

const isEnd = ({ type }: ModelEvent): boolean => type === "completed" || type === "failed";

const isAccepted = (event: ModelEvent): boolean =>
  (event.type !== "itemAdded" && event.type !== "itemDone") || parseOutputItem(event.item) !== null;

const failed = (detail: string): FailedEvent => ({
  type: "failed",
  error: createModelFailure("unusable", { detail }).error,
});

function toStream(answer: ModelFunction) {
  return async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent[]> {
    const output = answer(request, signal);
    const message = createMessage(request.input.length);
    yield [{ type: "created" }];
    for await (const piece of isIterable(output) ? output : [await output]) {
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

function isIterable(output: ModelAnswer): output is AsyncIterable<string | ModelEvent> {
  return isObject(output) && Symbol.asyncIterator in output;
}

/** Converts text chunks to the events of a message item. */
function createMessage(inputLength: number) {
  let count = 0;
  let text: string | null = null;
  const itemOf = (content: string) => ({
    type: "message" as const,
    id: `msg_own_${inputLength}_${count}`,
    role: "assistant",
    content: [{ type: "output_text" as const, text: content }],
  });
  return {
    add(delta: string): ModelEvent[] {
      const isFirst = text === null;
      text = (text ?? "") + delta;
      const event: ModelEvent = { type: "textDelta", itemId: itemOf("").id, delta };
      return isFirst ? [{ type: "itemAdded", item: itemOf("") }, event] : [event];
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
