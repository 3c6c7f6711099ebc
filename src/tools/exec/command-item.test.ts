import { expect, test } from "vitest";
import type { ItemLog } from "../tool.ts";
import { bufferItems } from "./command-item.ts";

function open() {
  const told: string[] = [];
  const log: ItemLog = {
    begin: () => void told.push("begin"),
    complete: () => void told.push("complete"),
    outputDelta: (_itemId, delta) => void told.push(delta),
    terminalInteraction: (_itemId, _processId, stdin) => void told.push(`typed ${stdin}`),
    mcpProgress: (_itemId, message) => void told.push(message),
  };
  return { told, held: bufferItems(log) };
}

test("buffered events are emitted in order, and later ones immediately", () => {
  const { told, held } = open();
  held.items.outputDelta("a", "one");
  held.items.terminalInteraction("a", "1", "two");
  expect(told).toEqual([]);
  held.release();
  held.items.mcpProgress("a", "three");
  expect(told).toEqual(["one", "typed two", "three"]);
});

test("discarded events are never emitted", () => {
  const { told, held } = open();
  held.items.outputDelta("a", "one");
  held.discard();
  held.items.outputDelta("a", "two");
  held.release();
  expect(told).toEqual([]);
});
