/** How a requirement is written down; see requirements.ts. */
export type Row = readonly [id: string, behaviour: string, proof: string | readonly string[]];

/** Scenarios of one area. */
export function under(area: string, ...names: readonly string[]): string[] {
  return names.map((name) => `${area}/${name}`);
}
