/** Longer words are not compared: the cost is quadratic, and they are no typing errors. */
const MAX_COMPARED_LENGTH = 40;

/** The most similar name to a mistyped word; null if none is similar enough. */
export function nearestName(word: string, names: Iterable<string>): string | null {
  if (word.length > MAX_COMPARED_LENGTH) return null;
  let nearest: string | null = null;
  let minDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    const distance = name.startsWith(word) && word.length > 1 ? 1 : editDistance(word, name);
    if (distance < minDistance) [nearest, minDistance] = [name, distance];
  }
  return nearest;
}

/** Edit distance with transpositions of neighbours (optimal string alignment). */
export function editDistance(one: string, other: string): number {
  let above: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[at - 1] === other[column - 1];
      const isSwapped = one[at - 1] === other[column - 2] && one[at - 2] === other[column - 1];
      next.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (row[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped && at > 1 && column > 1 ? (above[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [above, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
