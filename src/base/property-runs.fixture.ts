/** The number of cases of a slow property: `count` with the fixed seed, ten times as many with a random seed. */
export function propertyRuns(count: number): { numRuns: number } {
  return { numRuns: process.env["SEED"] === "random" ? count * 10 : count };
}
