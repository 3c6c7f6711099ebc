import type { InputModality, ResponseItem } from "../../protocol/generated/types.ts";
import { omitUnsupported } from "../input/prepare-media.ts";
import { addMissingOutputs, createCallPairs, isKnownItem } from "./prompt-items.ts";
import { withoutForeignId } from "./response-items.ts";

/** The history of a thread as provider input. What it has converted once it keeps, as the same objects. */
export interface PromptInput {
  /** Converts only the new items of a history that continues the last one; the result is the caller's own. */
  of(history: readonly ResponseItem[], modalities: readonly InputModality[]): ResponseItem[];
}

export function createPromptInput(): PromptInput {
  let source: ResponseItem[] = [];
  let converted: ResponseItem[] = [];
  let pairs = createCallPairs();
  let modalities: readonly InputModality[] = [];
  const added = new WeakMap<ResponseItem, ResponseItem>();

  /** Compares every item: at 5,000 items that takes 5 µs, and no writer of the history has to announce a change. */
  function isContinuedBy(history: readonly ResponseItem[]): boolean {
    if (history.length < source.length) return false;
    for (let index = 0; index < source.length; index += 1) {
      if (source[index] !== history[index]) return false;
    }
    return true;
  }

  return {
    of(history, supported) {
      if (!isSame(modalities, supported) || !isContinuedBy(history)) {
        source = [];
        converted = [];
        pairs = createCallPairs();
        modalities = [...supported];
      }
      for (let index = source.length; index < history.length; index += 1) {
        const item = history[index] as ResponseItem;
        source.push(item);
        if (!isKnownItem(item)) continue;
        converted.push(withoutForeignId(omitUnsupported(item, supported)));
        pairs.add(item);
      }
      return pairs.isComplete() ? converted.slice() : addMissingOutputs(converted, pairs, added);
    },
  };
}

function isSame(a: readonly InputModality[], b: readonly InputModality[]): boolean {
  return a === b || (a.length === b.length && a.every((each, index) => each === b[index]));
}
