/** Words that a program prints when the system refused it something, in lower case. */
const DENIALS = [
  "operation not permitted",
  "permission denied",
  "read-only file system",
  "seccomp",
  "sandbox",
  "landlock",
  "failed to write file",
];

/** 128 and the number of SIGSYS: what a shell reports for a call that a filter has ended. */
const ENDED_BY_FILTER = 159;

/**
 * The words that make it likely that a confined command failed because of its bounds, or null. It is a guess, good
 * enough to offer a run without them, never to grant one.
 */
export function denialHint(output: string, exitCode: number | null): string | null {
  if (exitCode === 0) return null;
  const lower = output.toLowerCase();
  const words = DENIALS.find((denial) => lower.includes(denial));
  if (words !== undefined) return words;
  return exitCode === ENDED_BY_FILTER ? "seccomp" : null;
}
