/** Whether two lists have the same members, by identity. */
export function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((member, index) => member === b[index]);
}
