import { expect, test } from "vitest";
import { parseThreadId } from "./thread-id.ts";

const ID = "0198aaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa";

test.each([ID, ID.toUpperCase(), ID.replaceAll("-", ""), `urn:uuid:${ID}`, `{${ID}}`])(
  "%s is an id",
  (text) => {
    expect(parseThreadId(text)).toBe(ID);
  },
);

test.each([
  ["abc", "invalid length: expected length 32 for simple format, found 3"],
  ["", "invalid length: expected length 32 for simple format, found 0"],
  ["a-b", "invalid group count: expected 5, found 2"],
  ["a-b-c-d-e", "invalid group length in group 0: expected 8, found 1"],
  [`${ID}a`, "invalid group length in group 4: expected 12, found 13"],
  ["{0198aaaaaaaa7aaa8aaaaaaaaaaaaaaa}", "invalid group count: expected 5, found 1"],
  [
    "not-a-uuid",
    "invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `n` at 1",
  ],
])("%j is refused", (text, reason) => {
  expect(parseThreadId(text)).toMatchObject({
    kind: "refused",
    message: expect.stringContaining(`invalid thread id: ${reason}`),
  });
});

test("an id is refused by the noun that clients know it by", () => {
  expect(parseThreadId("abc", "session id")).toMatchObject({
    kind: "refused",
    message: expect.stringContaining(
      "invalid session id: invalid length: expected length 32 for simple format, found 3",
    ),
  });
});
