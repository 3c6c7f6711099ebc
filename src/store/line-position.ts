/** The position of a line, ordered by `comparePositions`. No two lines that a thread ever had share one. */
export interface LinePosition {
  /** 0, plus one for each revert; a fork has the generation of the segment that it continues. */
  readonly generation: number;
  readonly seq: number;
}

export function comparePositions(one: LinePosition, other: LinePosition): number {
  return one.generation - other.generation || one.seq - other.seq;
}
