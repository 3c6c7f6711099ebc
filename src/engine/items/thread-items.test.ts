import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ItemOptions, toThreadItems } from "./thread-items.ts";

const OPTIONS: ItemOptions = { createId: () => "new", planId: null, warn() {} };
const PIXEL = { type: "input_image", image_url: "data:image/png;base64,AAAA" };

const shown = (item: unknown, options: Partial<ItemOptions> = {}) =>
  toThreadItems(item, { ...OPTIONS, ...options });
const user = (...parts: unknown[]) => ({
  type: "message",
  role: "user",
  id: "msg_1",
  content: parts.map((part) => (typeof part === "string" ? { type: "input_text", text: part } : part)),
});
const agent = (text: string, more: object = {}) => ({
  type: "message",
  role: "assistant",
  id: "msg_1",
  content: [{ type: "output_text", text }],
  ...more,
});
const AGENT = {
  type: "agentMessage",
  id: "msg_1",
  phase: null,
  memoryCitation: null,
  delivery: null,
  questions: null,
};
const userMessage = (...content: unknown[]) => [{ type: "userMessage", id: "new", clientId: null, content }];
const text = (words: string) => ({ type: "text", text: words, text_elements: [] });

describe("a user message of the history", () => {
  it("is what the user gave", () => {
    const parts = ["one", { ...PIXEL, detail: "low" }, { type: "input_image", file_id: "f" }, "two"];
    expect(shown(user(...parts))).toStrictEqual(
      userMessage(
        text("one"),
        { type: "image", url: PIXEL.image_url, detail: "low" },
        { type: "image", fileId: "f", detail: null },
        text("two"),
      ),
    );
  });

  it("is shown without the tags around images and recordings", () => {
    const audio = { type: "input_audio", audio_url: "data:audio/wav;base64,AA" };
    const parts = ["<image>", PIXEL, "</image>", '<image name=[Image #2] path="x">', PIXEL, "</image>"];
    expect(shown(user(...parts, "<audio>", audio, "</audio>", "<image>", "</image>"))).toStrictEqual(
      userMessage(
        { type: "image", url: PIXEL.image_url, detail: null },
        { type: "image", url: PIXEL.image_url, detail: null },
        { type: "audio", url: audio.audio_url },
        text("<image>"),
        text("</image>"),
      ),
    );
  });

  it("is hidden when any part of it is the server's own", () => {
    const hidden = [user("<turn_aborted>x</turn_aborted>"), user("hello", "<skill>x</skill>")];
    expect(hidden.map((item) => shown(item))).toStrictEqual([[], []]);
  });

  it("is a hook prompt when it holds nothing else", () => {
    const prompt = (id: string) => `<hook_prompt hook_run_id="${id}">go on</hook_prompt>`;
    const context = "<turn_aborted>x</turn_aborted>";
    const items = [
      user(prompt("a"), context, prompt("b")),
      user(prompt("a"), "hi"),
      user(prompt("a"), PIXEL),
    ];
    expect(items.map((item) => shown(item))).toStrictEqual([
      [
        {
          type: "hookPrompt",
          id: "msg_1",
          fragments: [
            { text: "go on", hookRunId: "a" },
            { text: "go on", hookRunId: "b" },
          ],
        },
      ],
      [],
      [],
    ]);
  });
});

describe("an agent message of the history", () => {
  it("has its phase, and what it cites beside the text", () => {
    const cited = "a<oai-mem-citation><rollout_ids>t1</rollout_ids></oai-mem-citation>b";
    expect(shown(agent(cited, { phase: "commentary" }))).toStrictEqual([
      { ...AGENT, text: "ab", phase: "commentary", memoryCitation: { entries: [], threadIds: ["t1"] } },
    ]);
  });

  it("gives its plan apart in Plan mode only", () => {
    const item = agent("Pre\n<proposed_plan>\n# A\n</proposed_plan>\nPost");
    expect(shown(item, { planId: "turn-plan" })).toStrictEqual([
      { type: "plan", id: "turn-plan", text: "# A\n" },
      { ...AGENT, text: "Pre\nPost" },
    ]);
    expect(shown(item)).toStrictEqual([
      { ...AGENT, text: "Pre\n<proposed_plan>\n# A\n</proposed_plan>\nPost" },
    ]);
  });

  it("is nothing but the plan when there is no other word", () => {
    const item = agent("<proposed_plan>\nA\n</proposed_plan>\n");
    expect(shown(item, { planId: "turn-plan" })).toStrictEqual([
      { type: "plan", id: "turn-plan", text: "A\n" },
    ]);
  });
});

describe("other items of the history", () => {
  it("show what the model thought", () => {
    const item = {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "short" }],
      content: [
        { type: "reasoning_text", text: "long" },
        { type: "text", text: "longer" },
      ],
    };
    expect(shown(item)).toStrictEqual([
      { type: "reasoning", id: "rs_1", summary: ["short"], content: ["long", "longer"] },
    ]);
  });

  it.each([
    [{ type: "search", query: "cats", queries: ["cats"] }, "cats"],
    [{ type: "search", queries: ["a", "b"] }, "a ..."],
    [{ type: "search", query: "", queries: ["a"] }, "a"],
    [{ type: "search" }, ""],
    [{ type: "open_page", url: "http://x" }, "http://x"],
    [{ type: "find_in_page", url: "http://x", pattern: "p" }, "'p' in http://x"],
    [{ type: "find_in_page", pattern: "p" }, "'p'"],
    [{ type: "find_in_page", url: "http://x" }, "http://x"],
    [{ type: "teleport", url: "http://x" }, ""],
    [undefined, ""],
  ])("say in one line that %j was looked for", (action, query) => {
    const [item] = shown({ type: "web_search_call", id: "ws_1", action });
    expect(item).toMatchObject({ type: "webSearch", id: "ws_1", query, results: null });
  });

  it("show a picture that has an id", () => {
    const item = { type: "image_generation_call", status: "completed", revised_prompt: "cat", result: "AA" };
    expect([shown({ ...item, id: "ig_1" }), shown(item)]).toStrictEqual([
      [
        {
          type: "imageGeneration",
          id: "ig_1",
          status: "completed",
          revisedPrompt: "cat",
          failure: null,
          generationId: null,
          result: "AA",
        },
      ],
      [],
    ]);
  });

  it("warn of kinds that nobody knows, and only of those", () => {
    const kinds: string[] = [];
    const types = ["new_kind", "function_call", "compaction", "message"];
    for (const type of types) shown({ type }, { warn: (kind) => kinds.push(kind) });
    expect(kinds).toStrictEqual(["new_kind"]);
  });

  it("can be any JSON", () => {
    const type = fc.constantFrom("message", "reasoning", "web_search_call", "image_generation_call");
    const role = fc.constantFrom("user", "assistant", "developer");
    const odd = fc.record({
      type,
      role,
      content: fc.jsonValue(),
      summary: fc.jsonValue(),
      action: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), odd), (item) => {
        expect(shown(item, { planId: "plan" }).every(({ id }) => typeof id === "string")).toBe(true);
      }),
    );
  });
});
