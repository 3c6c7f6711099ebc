/**
 * How many calls one operation may make, on Node 20. A change that needs more raises its number here, in the same
 * commit, with the reason in the commit's message; one that needs fewer lowers it.
 */
import type { Counts } from "./call-counts.ts";

export const CALL_BUDGETS: Readonly<Record<string, Counts>> = {
  "plain turn": {
    promises: 161,
    ticks: 15,
    timers: 3,
    stats: 20,
    reads: 0,
    writes: 3,
    sql: 3,
    stringify: 50,
    parse: 4,
  },
  // Ticks depend on the chunks in which the output arrives.
  "shell turn": {
    promises: 330,
    ticks: 35,
    timers: 8,
    stats: 40,
    reads: 0,
    writes: 5,
    sql: 9,
    stringify: 82,
    parse: 13,
  },
  "thread/start": {
    promises: 156,
    ticks: 3,
    timers: 1,
    stats: 30,
    reads: 1,
    writes: 0,
    sql: 0,
    stringify: 5,
    parse: 1,
  },
  // Ticks depend on how many requests arrive in one chunk.
  "pipelined request": {
    promises: 0,
    ticks: 1,
    timers: 0,
    stats: 0,
    reads: 0,
    writes: 0,
    sql: 0,
    stringify: 1,
    parse: 1,
  },
  // A two-hundredth of a turn is part of each.
  "streamed delta": {
    promises: 0.93,
    ticks: 0.1,
    timers: 0.1,
    stats: 0.1,
    reads: 0,
    writes: 0.1,
    sql: 0.1,
    stringify: 2.25,
    parse: 1.025,
  },
};
