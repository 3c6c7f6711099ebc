import { expect, test } from "vitest";
import { isBannedPrefix } from "./propose-amendment.ts";

test.each(
  [["bash", "-lc"], ["git"], ["python3"], ["npm", "run"], ["sudo"], ["rm"], ["pwsh", "-ec"]].map((words) => [
    words,
  ]),
)("%j says too little", (prefix) => {
  expect(isBannedPrefix(prefix)).toBe(true);
});

test.each([["git", "pull"], ["npm", "run", "build"], ["python3", "a.py"], ["make"]].map((words) => [words]))(
  "%j may be offered",
  (prefix) => {
    expect(isBannedPrefix(prefix)).toBe(false);
  },
);
