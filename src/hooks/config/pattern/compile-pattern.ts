/**
 * Compiles a pattern to a non-deterministic automaton that tracks a set of states, so that matching costs at
 * most the subject length times the pattern size, for any pattern.
 */
import { type PatternNode, parsePattern } from "./parse-pattern.ts";

export type CompiledPattern =
  | { readonly ok: true; readonly matches: (subject: string) => boolean }
  | { readonly ok: false; readonly reason: string };

const MAX_PATTERN_LENGTH = 16_384;
const MAX_STATES = 10_000;
/** Subjects are names of tools, agents and causes. A longer one matches, because hooks are guards. */
const MAX_SUBJECT_LENGTH = 512;

type State =
  | { readonly kind: "set"; readonly has: (character: string) => boolean }
  | { readonly kind: "assertion"; readonly holds: (before: string | null, after: string | null) => boolean }
  /** Continues in each of these states. */
  | { readonly kind: "fork"; readonly to: number[] }
  | { readonly kind: "match" };

export function compilePattern(pattern: string): CompiledPattern {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return { ok: false, reason: `the pattern is longer than ${MAX_PATTERN_LENGTH} characters` };
  }
  const parsed = parsePattern(pattern);
  if (!parsed.ok) return parsed;
  if (sizeOf(parsed.node) > MAX_STATES) {
    return { ok: false, reason: `the pattern needs more than ${MAX_STATES} states; repeat less in it` };
  }
  const states: State[] = [];
  append(states, parsed.node);
  states.push({ kind: "match" });
  return {
    ok: true,
    matches: (subject) => subject.length > MAX_SUBJECT_LENGTH || run(states, Array.from(subject)),
  };
}

/** Computed before anything is built, because repetition counts multiply. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case "set":
    case "assertion":
      return 1;
    case "sequence":
      return node.nodes.reduce((sum, inner) => sum + sizeOf(inner), 0);
    case "alternatives":
      return node.nodes.reduce((sum, inner) => sum + sizeOf(inner) + 2, 0);
    case "repeat":
      return (sizeOf(node.node) + 2) * Math.max(1, node.most ?? node.least + 1);
  }
}

/** Each state continues with the next one unless it is a fork. */
function append(states: State[], node: PatternNode): void {
  switch (node.kind) {
    case "set":
    case "assertion":
      states.push(node);
      return;
    case "sequence":
      for (const inner of node.nodes) append(states, inner);
      return;
    case "alternatives":
      appendAlternatives(states, node.nodes);
      return;
    case "repeat":
      for (let count = 0; count < node.least; count += 1) append(states, node.node);
      if (node.most === null) appendLoop(states, node.node);
      else appendOptional(states, node.node, node.most - node.least);
  }
}

function appendFork(states: State[], to: number[]): number[] {
  states.push({ kind: "fork", to });
  return to;
}

function appendAlternatives(states: State[], branches: readonly PatternNode[]): void {
  const entry = appendFork(states, []);
  const exits: number[][] = [];
  for (const branch of branches) {
    entry.push(states.length);
    append(states, branch);
    exits.push(appendFork(states, []));
  }
  for (const exit of exits) exit.push(states.length);
}

function appendLoop(states: State[], node: PatternNode): void {
  const start = states.length;
  const entry = appendFork(states, [start + 1]);
  append(states, node);
  appendFork(states, [start]);
  entry.push(states.length);
}

function appendOptional(states: State[], node: PatternNode, most: number): void {
  const exits: number[][] = [];
  for (let count = 0; count < most; count += 1) {
    exits.push(appendFork(states, [states.length + 1]));
    append(states, node);
  }
  for (const exit of exits) exit.push(states.length);
}

function run(states: readonly State[], characters: readonly string[]): boolean {
  let current: number[] = [];
  for (let at = 0; at <= characters.length; at += 1) {
    const [before = null, after = null] = [characters[at - 1], characters[at]];
    // A match may begin at every position.
    const reached = expand(states, [...current, 0], before, after);
    if (reached === "match") return true;
    if (after === null) return false;
    current = reached.filter((index) => accepts(states[index], after)).map((index) => index + 1);
  }
  return false;
}

function accepts(state: State | undefined, character: string): boolean {
  return state?.kind === "set" && state.has(character);
}

/** All states reachable without consuming a character. */
function expand(
  states: readonly State[],
  from: readonly number[],
  before: string | null,
  after: string | null,
): number[] | "match" {
  const seen = new Set<number>(from);
  for (const index of seen) {
    const state = states[index];
    if (state === undefined || state.kind === "match") return "match";
    if (state.kind === "fork") for (const next of state.to) seen.add(next);
    if (state.kind === "assertion" && state.holds(before, after)) seen.add(index + 1);
  }
  return [...seen];
}
