import { describe, expect, it } from "vitest";
import { createChecker } from "../../protocol/check.ts";
import { definitions } from "../../protocol/generated/table.ts";
import { parseInjectedItems } from "./parse-injected-items.ts";

const checker = createChecker(definitions);
const message = (more: object) => ({ type: "message", role: "user", content: [], ...more });
const WORDS = "`input_text`, `input_image`, `input_audio`, `output_text`";

describe("items that a client puts into a conversation", () => {
  it("are taken as they are, also those of kinds that nobody knows", () => {
    const items = [message({ content: [{ type: "input_text", text: "hi" }] }), { type: "new_kind", x: 1 }];
    expect(parseInjectedItems(items, checker)).toStrictEqual({ kind: "items", items });
  });

  it.each<[unknown, string]>([
    [{}, "missing field `type`"],
    [null, "invalid type: null, expected internally tagged enum ResponseItem"],
    ["x", 'invalid type: string "x", expected internally tagged enum ResponseItem'],
    [{ type: "message" }, "missing field `role`"],
    [{ type: "message", role: "user" }, "missing field `content`"],
    [message({ content: "x" }), 'invalid type: string "x", expected a sequence'],
    [message({ content: [{ type: "nope" }] }), `unknown variant \`nope\`, expected one of ${WORDS}`],
    [message({ content: [{}] }), "missing field `type`"],
    [
      message({ content: [{ type: "input_image" }] }),
      "data did not match any variant of untagged enum ImageReference",
    ],
    [
      message({ phase: "nope" }),
      "unknown variant `nope`, expected one of `commentary`, `partial_answer`, `final_answer`",
    ],
    [message({ id: 5 }), "invalid type: integer `5`, expected a string"],
    [
      { type: "function_call", name: "a", arguments: {}, call_id: "c" },
      "invalid type: map, expected a string",
    ],
    [{ type: "reasoning", summary: [{ type: "summary_text" }] }, "missing field `text`"],
    [
      { type: "function_call_output", call_id: "c", output: 5 },
      "data did not match any variant of untagged enum FunctionCallOutputBody",
    ],
    [{ type: "image_generation_call", id: "a", status: "x" }, "missing field `result`"],
  ])("%j is refused", (item, reason) => {
    expect(parseInjectedItems([{ type: "other" }, item], checker)).toStrictEqual({
      kind: "wrong",
      message: `items[1] is not a valid response item: ${reason}`,
    });
  });

  it("must be some", () => {
    expect(parseInjectedItems([], checker)).toStrictEqual({
      kind: "wrong",
      message: "items must not be empty",
    });
  });

  it("must not point to images of the web", () => {
    const image = { type: "input_image", image_url: "https://x/y.png" };
    const output = { type: "function_call_output", call_id: "c", output: [image] };
    const refused = {
      kind: "wrong",
      message: "remote image URLs are not supported; use an inline data URL instead",
    };
    const results = [message({ content: [image] }), output].map((item) =>
      parseInjectedItems([item], checker),
    );
    expect(results).toStrictEqual([refused, refused]);
  });
});
