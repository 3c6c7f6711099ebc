/** Resource usage over time, and whether it is level after the warm-up. */

export interface Sample {
  readonly atMs: number;
  readonly memoryMb: number;
  readonly descriptors: number;
  readonly children: number;
  /** Timers that have neither fired nor been cancelled. */
  readonly timers: number;
  /** The longest wait of an empty request since the previous sample. */
  readonly delayMs: number;
}

type Measure = Exclude<keyof Sample, "atMs">;

/** How much the last quarter may exceed the second one. */
const ROOM: Readonly<Record<Measure, { readonly share: number; readonly more: number }>> = {
  memoryMb: { share: 0.1, more: 8 },
  descriptors: { share: 0, more: 8 },
  children: { share: 0, more: 3 },
  timers: { share: 0.2, more: 16 },
  delayMs: { share: 0.5, more: 25 },
};

export interface Verdict {
  readonly measure: Measure;
  readonly before: number;
  readonly after: number;
  readonly isLevel: boolean;
}

/** The first quarter is warm-up; the second is compared with the last. */
export function judgeSamples(samples: readonly Sample[]): Verdict[] {
  const quarter = Math.floor(samples.length / 4);
  if (quarter === 0) throw new Error(`${samples.length} samples say nothing: let it run for longer`);
  const early = samples.slice(quarter, 2 * quarter);
  const late = samples.slice(-quarter);
  return (Object.keys(ROOM) as Measure[]).map((measure) => {
    const [before, after] = [early, late].map((part) => middle(part.map((sample) => sample[measure]))) as [
      number,
      number,
    ];
    const { share, more } = ROOM[measure];
    return { measure, before, after, isLevel: after <= before * (1 + share) + more };
  });
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

const NAMES: Readonly<Record<Measure, string>> = {
  memoryMb: "memory (MB)",
  descriptors: "descriptors",
  children: "children",
  timers: "timers",
  delayMs: "longest wait (ms)",
};

export function describeVerdicts(verdicts: readonly Verdict[]): string {
  return verdicts
    .map(({ measure, before, after, isLevel }) => {
      const figures = `${before.toFixed(1)} -> ${after.toFixed(1)}`;
      return `${NAMES[measure].padEnd(18)} ${figures.padEnd(20)} ${isLevel ? "level" : "GROWS"}`;
    })
    .join("\n");
}
