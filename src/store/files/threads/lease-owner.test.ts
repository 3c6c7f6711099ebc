import { expect, test } from "vitest";
import {
  currentNode,
  type Liveness,
  livenessOf,
  ownerName,
  type ProcessStatus,
  type ProcessView,
} from "./lease-owner.ts";

const RUNS: ProcessStatus = { kind: "runs", start: "500" };

function viewOf(
  members: Partial<ProcessView>,
  found: Readonly<Record<number, ProcessStatus>> = {},
): ProcessView {
  return {
    pid: 1,
    host: "box",
    boot: "b1",
    namespace: "n1",
    start: "900",
    statusOf: (pid) => found[pid] ?? { kind: "ended" },
    ...members,
  };
}

const old = (pid: number, host: string) => `${pid}@${host}#x`;
const named = (members: Partial<ProcessView>) => ownerName(currentNode("x", viewOf(members)));

const cases: readonly (readonly [string, string, Liveness])[] = [
  ["another store of this process", named({}), "alive"],
  ["what had the id of this process before it", named({ start: "100" }), "dead"],
  ["what had it in a container before this one", named({ namespace: "n0", start: "100" }), "dead"],
  ["what had it before the machine started", named({ boot: "b0", start: "900" }), "dead"],
  ["one that runs", named({ pid: 7, start: "500" }), "alive"],
  ["one whose id another has now", named({ pid: 7, start: "400" }), "dead"],
  ["one that has ended", named({ pid: 8, start: "500" }), "dead"],
  ["one that hides when it began", named({ pid: 9, start: "500" }), "alive"],
  ["one of this kernel under another host name", named({ pid: 7, host: "other", start: "500" }), "alive"],
  ["one that ended under another host name", named({ pid: 8, host: "other" }), "dead"],
  ["one in a container of its own", named({ host: "other", namespace: "n2" }), "unknown"],
  ["one in another container with this host name", named({ pid: 7, namespace: "n2" }), "unknown"],
  ["one of another machine", named({ pid: 7, host: "other", boot: "b2" }), "unknown"],
  ["one of this host before it started again", named({ pid: 7, boot: "b0" }), "unknown"],
  ["an older program that runs", old(7, "box"), "alive"],
  ["an older program that has ended", old(8, "box"), "dead"],
  ["an older program that had the id of this process", old(1, "box"), "dead"],
  ["an older program of another host", old(7, "other"), "unknown"],
  ["what is no name of a process", "somebody", "unknown"],
];

test.each(cases)("%s: %s is %s", (_, owner, liveness) => {
  const found = { 7: RUNS, 9: { kind: "runs", start: null } } as const;
  expect(livenessOf(owner, viewOf({}, found))).toBe(liveness);
});

test("where the system tells of no start times, processes of the same host are told apart by their ids", () => {
  const nothing = { boot: "", namespace: "" };
  const view = viewOf({ ...nothing, pid: 5 }, { 7: { kind: "runs", start: null } });
  const owner = (members: Partial<ProcessView>) =>
    ownerName(currentNode("x", viewOf({ ...nothing, ...members })));
  const liveness = [
    { pid: 5 },
    { pid: 5, start: "1" },
    { pid: 7 },
    { pid: 8 },
    { pid: 7, host: "other" },
  ].map((members) => livenessOf(owner(members), view));
  expect(liveness).toEqual(["alive", "dead", "alive", "dead", "unknown"]);
});
