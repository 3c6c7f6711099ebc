import { describe, expect, it } from "vitest";
import { compare } from "./compare.ts";
import type { Recording } from "./recording.ts";

function recording(...messages: readonly [key: string, value: unknown][]): Recording {
  return { entries: messages.map(([key, value]) => ({ channel: "main", key, value })), unmet: [] };
}

describe("compare", () => {
  it("finds nothing in equal recordings", () => {
    const one = recording(["a", { x: [1, { y: null }] }], ["b", 2]);
    expect(compare(one, structuredClone(one))).toEqual([]);
  });

  it("points at each member that differs", () => {
    const peer = recording(["a", { x: [1, 2], same: 0, only: true }]);
    const heddle = recording(["a", { x: [1, 3, 4], same: 0 }]);
    expect(compare(peer, heddle)).toEqual([
      { message: "a", pointer: "/x/1", peer: 2, heddle: 3 },
      { message: "a", pointer: "/x/2", peer: undefined, heddle: 4 },
      { message: "a", pointer: "/only", peer: true, heddle: undefined },
    ]);
  });

  it("names messages that one side alone has, without losing step", () => {
    const peer = recording(["a", 1], ["b", 2], ["c", 3]);
    const heddle = recording(["a", 1], ["c", 3], ["d", 4]);
    expect(compare(peer, heddle)).toEqual([
      { message: "b", pointer: "", peer: 2, heddle: undefined },
      { message: "d", pointer: "", peer: undefined, heddle: 4 },
    ]);
  });

  it("calls a message that moved a difference of order", () => {
    const differences = compare(recording(["a", 1], ["b", 2]), recording(["b", 2], ["a", 1]));
    expect(differences.map(({ pointer }) => pointer)).toEqual(["(order)"]);
  });

  it("takes ids that first appear at the same place for the same id", () => {
    const peer = recording(
      ["a", { id: "<uuid:1>" }],
      ["extra", "<uuid:2>"],
      ["b", "of <uuid:3>"],
      ["c", "<uuid:1>"],
    );
    const same = recording(["a", { id: "<uuid:1>" }], ["b", "of <uuid:2>"], ["c", "<uuid:1>"]);
    const mixed = recording(["a", { id: "<uuid:1>" }], ["b", "of <uuid:2>"], ["c", "<uuid:2>"]);
    const pointers = (heddle: Recording) => compare(peer, heddle).map(({ message }) => message);
    expect([pointers(same), pointers(mixed)]).toEqual([["extra"], ["c", "extra"]]);
  });

  it("accepts any order inside a group that is free", () => {
    const peer = recording(["x", 0], ["a", 1], ["b", 2]);
    const heddle = recording(["b", 2], ["x", 0], ["a", 1]);
    expect(compare(peer, heddle, [["a", "b"]])).toEqual([]);
  });

  it("reports an expectation that only Heddle breaks, unless the message differs anyway", () => {
    const peer = recording(["a", 1]);
    const unmet = [{ entry: "a", text: "expected 1" }];
    expect(compare(peer, { ...recording(["a", 1]), unmet })).toEqual([
      { message: "a", pointer: "(expectation)", peer: undefined, heddle: "expected 1" },
    ]);
    expect(compare(peer, { ...recording(["a", 2]), unmet }).map(({ pointer }) => pointer)).toEqual([""]);
  });

  it("reports a side that stalled", () => {
    expect(compare(recording(), { ...recording(), stalled: "no answer" })).toEqual([
      { message: "(end)", pointer: "", peer: undefined, heddle: "no answer" },
    ]);
  });
});
