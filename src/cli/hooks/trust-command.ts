/** What to run where a hook lacks trust. */
export function trustCommand(key: string): string {
  const word = /^[\w./:@%+=,-]+$/u.test(key) ? key : `'${key.replaceAll("'", `'\\''`)}'`;
  return `heddle hooks trust ${word}`;
}
