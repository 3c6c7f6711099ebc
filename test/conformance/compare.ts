/** Compares two normalised recordings of one scenario, message by message, and says where they differ. */
import { isDeepStrictEqual } from "node:util";
import { isObject, pointerOf } from "../support/json.ts";
import { type Entry, entryName, type Recording } from "./recording.ts";
import type { Scenario } from "./scenario.ts";

const NUMBERED_ID = /<uuid:\d+>/gu;

export type Difference = {
  /** The message or fact, as `entryName` gives it. */
  readonly message: string;
  /** Where in it; `` for the whole message, `(order)` for its place, `(expectation)` for what the scenario says of it. */
  readonly pointer: string;
  readonly peer: unknown;
  readonly heddle: unknown;
};

export function compare(peer: Recording, heddle: Recording, freeOrder?: Scenario["freeOrder"]): Difference[] {
  const channels = new Set([...peer.entries, ...heddle.entries].map(({ channel }) => channel));
  const pairId = createIdPairing();
  const found = [...channels].flatMap((channel) => {
    const only = (recording: Recording) => recording.entries.filter((entry) => entry.channel === channel);
    return compareOrdered(arrange(only(peer), freeOrder), arrange(only(heddle), freeOrder), pairId);
  });
  if (peer.stalled !== heddle.stalled) {
    found.push({ message: "(end)", pointer: "", peer: peer.stalled, heddle: heddle.stalled });
  }
  const shown = new Set(found.map(({ message }) => message));
  for (const { entry, text } of heddle.unmet) {
    if (!shown.has(entry))
      found.push({ message: entry, pointer: "(expectation)", peer: undefined, heddle: text });
  }
  return found;
}

/** Takes the messages with free order out of the sequence and puts them, sorted, at the end of it. */
export function arrange(entries: readonly Entry[], freeOrder: Scenario["freeOrder"] = []): Entry[] {
  const free = new Set(freeOrder.flat());
  return [
    ...entries.filter(({ key }) => !free.has(key)),
    ...entries.filter(({ key }) => free.has(key)).sort((a, b) => order(a).localeCompare(order(b))),
  ];
}

/** Without the numbers of ids, which depend on the order in which they came. */
function order(entry: Entry): string {
  return `${entry.key} ${JSON.stringify(entry.value).replace(NUMBERED_ID, "<uuid>")}`;
}

function compareOrdered(
  peer: readonly Entry[],
  heddle: readonly Entry[],
  pairIds: (peer: unknown, heddle: unknown) => unknown,
): Difference[] {
  const differences: Difference[] = [];
  const alone: { peer: Entry[]; heddle: Entry[] } = { peer: [], heddle: [] };
  for (const [left, right] of align(peer, heddle)) {
    if (left !== undefined && right !== undefined)
      differences.push(
        ...compareValues(entryName(left), left, { ...right, value: pairIds(left.value, right.value) }),
      );
    else if (left !== undefined) alone.peer.push(left);
    else if (right !== undefined) alone.heddle.push(right);
  }
  for (const left of alone.peer) {
    const moved = alone.heddle.findIndex(
      ({ key, value }) =>
        key === left.key &&
        [value, pairIds(undefined, value)].some((each) => isDeepStrictEqual(each, left.value)),
    );
    if (moved >= 0) {
      alone.heddle.splice(moved, 1);
      differences.push({ message: entryName(left), pointer: "(order)", peer: "here", heddle: "elsewhere" });
    } else differences.push({ message: entryName(left), pointer: "", peer: left.value, heddle: undefined });
  }
  for (const right of alone.heddle) {
    differences.push({ message: entryName(right), pointer: "", peer: undefined, heddle: right.value });
  }
  return differences;
}

/** Pairs entries of equal key in order (longest common subsequence); the rest stand alone. */
function align(left: readonly Entry[], right: readonly Entry[]): [Entry | undefined, Entry | undefined][] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const same = left[i]!.key === right[j]!.key;
      lengths[i]![j] = same
        ? lengths[i + 1]![j + 1]! + 1
        : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  const pairs: [Entry | undefined, Entry | undefined][] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i]!.key === right[j]!.key)
      pairs.push([left[i++], right[j++]]);
    else if (j >= right.length || (i < left.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      pairs.push([left[i++], undefined]);
    } else pairs.push([undefined, right[j++]]);
  }
  return pairs;
}

/**
 * Ids are numbered by first appearance, so one message that only one side sends shifts the numbers after it. Ids that
 * are first met at the same place of both recordings are the same id; Heddle's then take the peer's number.
 */
function createIdPairing(): (peer: unknown, heddle: unknown) => unknown {
  const peerOf = new Map<string, string>();
  const taken = new Set<string>();

  function rename(text: string, model: unknown): string {
    const ids = typeof model === "string" ? [...model.matchAll(NUMBERED_ID)] : [];
    let place = 0;
    return text.replace(NUMBERED_ID, (id) => {
      const other = ids[place]?.[0];
      place += 1;
      if (!peerOf.has(id) && other !== undefined && !taken.has(other)) {
        peerOf.set(id, other);
        taken.add(other);
      }
      return peerOf.get(id) ?? id.replace(":", ":heddle-");
    });
  }

  function pair(peer: unknown, heddle: unknown): unknown {
    if (typeof heddle === "string") return rename(heddle, peer);
    if (Array.isArray(heddle)) {
      return heddle.map((each, index) => pair(Array.isArray(peer) ? peer[index] : undefined, each));
    }
    if (!isObject(heddle)) return heddle;
    const model = isObject(peer) ? peer : {};
    return Object.fromEntries(Object.entries(heddle).map(([key, each]) => [key, pair(model[key], each)]));
  }

  return pair;
}

function compareValues(message: string, left: Entry, right: Entry): Difference[] {
  const differences: Difference[] = [];
  const visit = (peer: unknown, heddle: unknown, path: readonly string[]): void => {
    if (isDeepStrictEqual(peer, heddle)) return;
    const keys = sharedKeys(peer, heddle);
    if (keys === undefined) {
      differences.push({ message, pointer: pointerOf(path), peer, heddle });
      return;
    }
    for (const key of keys) visit(member(peer, key), member(heddle, key), [...path, key]);
  };
  visit(left.value, right.value, []);
  return differences;
}

/** The keys to descend into when both values are objects, or both arrays. */
function sharedKeys(peer: unknown, heddle: unknown): string[] | undefined {
  if (Array.isArray(peer) && Array.isArray(heddle)) {
    return Array.from({ length: Math.max(peer.length, heddle.length) }, (_, index) => String(index));
  }
  if (isObject(peer) && isObject(heddle)) return [...new Set([...Object.keys(peer), ...Object.keys(heddle)])];
  return undefined;
}

function member(value: unknown, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}
