/**
 * How many calls one operation may make, on Node 20. A change that needs more raises its number here, in the same
 * commit, with the reason in the commit's message; one that needs fewer lowers it.
 */
import type { Counts } from "./call-counts.ts";

export const CALL_BUDGETS: Readonly<Record<string, Counts>> = {
  "plain turn": {
    promises: 113,
    ticks: 3,
    timers: 2,
    stats: 10,
    reads: 0,
    writes: 2,
    // The data version of the database, which shows whether a lease can have changed.
    sql: 2,
    stringify: 41,
    parse: 4,
  },
  "shell turn": {
    promises: 276,
    // Depends on how the output of the command arrives.
    ticks: 18,
    timers: 6,
    stats: 22,
    reads: 0,
    writes: 4,
    sql: 8,
    stringify: 71,
    parse: 13,
  },
  "thread/start": {
    promises: 125,
    ticks: 2,
    timers: 1,
    stats: 20,
    reads: 0,
    writes: 0,
    sql: 0,
    stringify: 6,
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
    promises: 0.565,
    ticks: 0.1,
    timers: 0.1,
    stats: 0.06,
    reads: 0,
    writes: 0.1,
    sql: 0.1,
    stringify: 1.215,
    parse: 1.025,
  },
};
