import type { Clock } from "../../base/clock.ts";

/**
 * Flags for a server. To be set after the program was loaded from its code cache, which V8 rejects under other flags,
 * and after the handshake, whose code runs only once.
 */
const SERVER_FLAGS: readonly string[] = [
  // Type feedback from a function's first call on, and not after several: the first turns take a fifth less time.
  "--no-lazy-feedback-allocation",
  // Bytes of bytecode that one optimized function may inline, a third of the default. A server has much code that is
  // warm and little that is hot: the compiler takes a third less CPU for turns and half of it for streams, and the
  // optimized code is as fast.
  "--max-inlined-bytecode-size-cumulative=300",
];

/**
 * In the first minute, V8 of Node 20 optimizes a function after three times as many calls. On few cores its compiler
 * competes with the server and its clients: a turn takes a third less CPU. Code that is hot for longer is optimized as
 * usual afterwards. Newer versions of V8 wait for as many calls by themselves.
 */
const PATIENT = { flag: "--interrupt-budget=200000", usual: "--interrupt-budget=67584", forMs: 60_000 };
const V8_OF_NODE_20 = /^11\./;
const FEW_CORES = 4;

export function tuneV8(clock: Pick<Clock, "after">): void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  const { availableParallelism } = process.getBuiltinModule("node:os");
  for (const flag of SERVER_FLAGS) setFlagsFromString(flag);
  if (!V8_OF_NODE_20.test(process.versions.v8) || availableParallelism() > FEW_CORES) return;
  setFlagsFromString(PATIENT.flag);
  clock.after(PATIENT.forMs, () => setFlagsFromString(PATIENT.usual), { keepsAlive: false });
}
