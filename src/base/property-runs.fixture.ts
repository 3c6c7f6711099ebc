/** How many cases of a slow property are drawn: so many in every run of the tests, ten times as many to explore. */
export function propertyRuns(count: number): { numRuns: number } {
  return { numRuns: process.env["SEED"] === "random" ? count * 10 : count };
}
