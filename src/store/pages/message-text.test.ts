import { expect, test } from "vitest";
import { fileText, itemLine } from "../files/rollout/rollout.fixture.ts";
import { agentItem, started, userItem } from "../lines/lines.fixture.ts";
import { itemText, lineText } from "./snippet.ts";

test("the text of an agent message has no markup", () => {
  const markdown =
    "# Title\n\n- **bold** and *slanted*\n- `code_with_names`\n\n```ts\nconst a = 1;\n```\n[a link](https://x.test)";
  expect(itemText(agentItem("a", markdown))).toBe(
    "Title bold and slanted code_with_names const a = 1; a link",
  );
});

test("the text of a user message is unchanged", () => {
  expect(itemText(userItem("u", "**not** markup"))).toBe("**not** markup");
  expect(itemText({ type: "plan", id: "p", text: "a plan" })).toBeNull();
});

test("message text is read from lines of both file formats, and not from other lines", () => {
  const legacy = { type: "event_msg" as const, payload: { type: "agent_message", message: "old" } };
  const lines = [
    itemLine("t", userItem("u", "hello")),
    itemLine("t", agentItem("a", "*hi*")),
    legacy,
    started("t"),
  ];
  const texts = fileText(lines).trim().split("\n").map(lineText);
  expect([...texts, lineText("not JSON")]).toEqual(["hello", "*hi*", "old", null, null]);
});

test.each([
  ["brackets", "[".repeat(200_000)],
  ["links without an end", "[a](".repeat(50_000)],
  ["stars", "**a ".repeat(50_000)],
  ["lines", `x${"\n".repeat(200_000)}`],
  ["spaces", " ".repeat(200_000)],
  ["underlines", "_a ".repeat(70_000)],
])("a long message of nothing but %s is shown in no time", (_what, text) => {
  const start = performance.now();
  itemText(agentItem("a", text));
  expect(performance.now() - start).toBeLessThan(1000);
});
