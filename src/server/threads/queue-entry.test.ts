import { expect, test } from "vitest";
import { toRow } from "./queue-entry.ts";

test.each([2 ** 60, -(2 ** 60)])("a time that is none is refused: %d", async (notBefore) => {
  const params = {
    threadId: "t",
    input: [{ type: "text" as const, text: "x", text_elements: [] }],
    notBefore,
  };
  await expect(toRow({ ...params, clientUserMessageId: "c" }, () => "id")).rejects.toThrow(
    "notBefore is no Unix time in seconds",
  );
});
