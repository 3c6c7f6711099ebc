/** How long it takes to do something, several times in a row, in milliseconds. */

export async function times(count: number, act: () => Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    await act();
    found.push(performance.now() - start);
  }
  return found;
}
