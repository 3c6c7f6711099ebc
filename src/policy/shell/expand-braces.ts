/** Longer results stay as they are written. */
const MAX_CHARACTERS = 4096;

/** The words of `-{r,f}`: one list of alternatives with what stands around it; any other word is left as it is. */
export function expandBraces(word: string): string[] {
  const open = word.indexOf("{");
  const close = word.indexOf("}", open);
  if (open < 0 || close < 0 || close - open > MAX_CHARACTERS) return [word];
  const [before, list, after] = [word.slice(0, open), word.slice(open + 1, close), word.slice(close + 1)];
  const each = list.split(",");
  if (each.length < 2 || each.length * (before.length + after.length) > MAX_CHARACTERS) return [word];
  return each.map((part) => `${before}${part}${after}`).filter((part) => part !== "");
}
