import { expect, test } from "vitest";
import { connectionErrorText } from "./errors.ts";

test("a connection that failed at several addresses lists the error of each", () => {
  const causes = ["connect ECONNREFUSED ::1:9", "connect ECONNREFUSED 127.0.0.1:9"];
  const tried = new AggregateError(causes.map((message) => new Error(message)));
  expect(connectionErrorText(tried)).toBe(causes.join(", "));
  expect(connectionErrorText(new Error("socket hang up"))).toBe("socket hang up");
  expect(connectionErrorText(new AggregateError([], "none"))).toBe("none");
});
