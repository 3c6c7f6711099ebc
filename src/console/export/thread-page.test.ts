import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision, HookRunSummary, Thread, ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { ATTRIBUTES, ELEMENTS } from "./page-elements.fixture.ts";
import type { PageTurn } from "./page-format.ts";
import { createThreadPage } from "./thread-page.tsx";

const STYLE = { css: ".x{color:red}", sha256: "HASH" };
const TOKENS = {
  totalTokens: 12_345,
  inputTokens: 12_000,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 345,
  reasoningOutputTokens: 0,
};
const PNG = "data:image/png;base64,iVBORw0KGgo=";

const turn = (items: readonly object[], more: Partial<Turn> = {}): Turn => ({
  id: "t",
  rootTurnId: null,
  items: items.map((item, index) => ({ id: `i${index}`, ...item })) as unknown as ThreadItem[],
  itemsView: "full",
  status: "completed",
  error: null,
  startedAt: 60,
  completedAt: 62,
  durationMs: 1300,
  hookRuns: [],
  ...more,
});

const drawTurn = (shown: Turn, more: Partial<PageTurn> = {}): string =>
  createThreadPage(STYLE).turn({ turn: shown, plan: [], tokens: null, decisions: [], ...more });

const command = (more: object) => ({
  type: "commandExecution",
  command: "bash -lc 'npm test'",
  cwd: "/w",
  aggregatedOutput: "",
  exitCode: 0,
  status: "completed",
  durationMs: 20,
  ...more,
});

const decision = (more: object): Decision =>
  ({
    id: "d1",
    itemId: "i0",
    kind: "command",
    command: "rm -r build",
    requestedAt: 61,
    verdict: null,
    rule: null,
    cause: null,
    ...more,
  }) as Decision;

/** What a reader sees, in one line. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();

describe("a turn", () => {
  test.each<[name: string, items: readonly object[], parts: readonly string[]]>([
    ["a message", [{ type: "userMessage", content: [{ type: "text", text: "a <b>" }] }], ["a &lt;b>"]],
    ["an image", [{ type: "userMessage", content: [{ type: "image", url: PNG }] }], [`src="${PNG}"`]],
    [
      "an image that is a program",
      [{ type: "userMessage", content: [{ type: "image", url: "data:image/svg+xml;base64,PHN2Zz4=" }] }],
      ['<span class="chip">image</span>'],
    ],
    [
      "an answer",
      [{ type: "agentMessage", text: "# T\n\n[x](https://a.example/p)" }],
      ["<h4>T</h4>", 'href="https://a.example/p"', "(a.example)"],
    ],
    [
      "numbers and tasks",
      [{ type: "agentMessage", text: "3. a\n\n- [x] b" }],
      [
        '<ol start="3"><li>a</li></ol>',
        '<li class="task"><input type="checkbox" checked disabled aria-label="Task"/>b</li>',
      ],
    ],
    [
      "code with colours",
      [{ type: "agentMessage", text: "```ts\nconst a = 1\n```" }],
      ['<span class="k">const'],
    ],
    [
      "thoughts, closed",
      [{ type: "reasoning", summary: ["**First**\nmore"], content: [] }],
      ["<summary>Thought: First</summary>"],
    ],
    [
      "a command",
      [command({ aggregatedOutput: "\u001b[31mred\u001b[0m", exitCode: 2 })],
      ["npm test</code>", "exit 2", '<span class="a-r">red</span>'],
    ],
    [
      "a diff",
      [
        {
          type: "fileChange",
          status: "completed",
          changes: [
            { path: "a.txt", kind: { type: "update", move_path: null }, diff: "@@ -1 +1 @@\n-old\n+new" },
          ],
        },
      ],
      ['class="ln del"', 'class="ln add"', "+1", "−1"],
    ],
    [
      "a call",
      [
        {
          type: "mcpToolCall",
          server: "s",
          tool: "t",
          status: "failed",
          arguments: { a: 1 },
          result: { content: [{ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }] },
          error: null,
        },
      ],
      ["s.t", "failed", "&quot;a&quot;: 1", `src="${PNG}"`, "(image)"],
    ],
  ])("shows %s", (_name, items, parts) => {
    const html = drawTurn(turn(items));
    expect(parts.filter((part) => !html.includes(part))).toEqual([]);
  });

  test("has its time, its tokens, its plan, its hooks, its decisions and its end", () => {
    const hook = { runId: "h", eventName: "stop", sourcePath: "/h.sh", status: "blocked", startedAt: 61 };
    const hookRuns = [
      { ...hook, statusMessage: null, durationMs: 5, entries: [{ kind: "feedback", text: "no" }] },
    ] as unknown as HookRunSummary[];
    const error = { message: "no key", codexErrorInfo: null, additionalDetails: null, misalignment: null };
    const verdict = {
      outcome: "denied",
      by: { kind: "client", name: "phone", subject: null },
      decidedAt: 62,
    };
    const html = drawTurn(turn([command({})], { status: "failed", error, hookRuns }), {
      tokens: TOKENS,
      plan: [{ step: "Write it", status: "completed" }],
      decisions: [
        decision({ verdict: { ...verdict, reason: "later" } }),
        decision({ id: "d2", itemId: "gone" }),
      ],
    });
    expect(textOf(html)).toBe(
      "Turn 1 · 1970-01-01 00:01 UTC · 1.3 s · failed · 12,345 tokens (12,000 in, 345 out) npm test exit 0 20 ms " +
        "denied by phone, 1970-01-01 00:01 UTC “later” Stop h.sh blocked 5 ms no " +
        "open question rm -r build 1970-01-01 00:01 UTC Plan 1 of 1 Write it The turn has failed : no key",
    );
  });

  test("shows controls that turn the order of a text", () => {
    const html = drawTurn(
      turn([
        { type: "userMessage", content: [{ type: "text", text: "a\u202eb" }] },
        { type: "agentMessage", text: "*c\u2067d*" },
        command({ aggregatedOutput: "e\u200ff" }),
      ]),
    );
    expect(["a‹U+202E›b", "c‹U+2067›d", "e‹U+200F›f"].filter((part) => !html.includes(part))).toEqual([]);
  });

  test("keeps the end of a long output, and says how much is missing", () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`);
    const html = drawTurn(turn([command({ aggregatedOutput: lines.join("\n") })]));
    expect(html).toContain("3,000 earlier of 5,000 lines are not in this file");
    expect(html).toContain("line 4999");
    expect(html).not.toContain("line 2999\n");
  });

  test("cuts a text that has no end, and says so", () => {
    const html = drawTurn(turn([{ type: "agentMessage", text: "x".repeat(1_200_000) }]));
    expect(html).toContain("200,000 of 1,200,000 characters are not in this file");
  });
});

const thread = { id: "T", name: null, preview: "A\nb", cwd: "/w", model: "m", modelProvider: "p" };
const whole = { ...thread, gitInfo: null, createdAt: 0, updatedAt: 60 } as unknown as Thread;

test("a page has a policy that allows its own style and nothing else", () => {
  const page = createThreadPage(STYLE);
  const html = page.head(whole, TOKENS) + page.end();
  expect(html).toContain(
    `content="default-src 'none'; style-src 'sha256-HASH'; img-src data:; base-uri 'none'; form-action 'none'"`,
  );
  expect(html).toContain(`<style>${STYLE.css}</style>`);
  expect(textOf(html.split("<body>")[1] ?? "")).toMatch(
    /^A b Folder \/w Model m \(p\) Begun 1970-01-01 00:00 UTC Changed 1970-01-01 00:01 UTC Tokens 12,345 tokens .* Thread T Nothing has been said yet\./u,
  );
});

const HOSTILE = [
  "<script>",
  "</script>",
  "</style>",
  "<img src=x onerror=a()>",
  '"',
  "'",
  "<",
  ">",
  "&",
  "=",
  "`",
  "```html\n",
];
const MARKUP = [
  "[",
  "](",
  ")",
  "javascript:a()",
  "data:text/html,",
  "https://a.b",
  "\n",
  "\n\n",
  "- ",
  "> ",
  "| a |\n| - |\n| ",
  "# ",
  "\u001b[31m",
  "\u202e",
  "@@ -1 +1 @@\n",
  "+",
  "-",
  " onload=a() ",
  "<!--",
  "]]>",
  "a",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE, ...MARKUP), fc.string()), { maxLength: 12 })
  .map((parts) => parts.join(""));

test("no text becomes an element or an attribute", () => {
  fc.assert(
    fc.property(text, (hostile) => {
      const items = [
        {
          type: "userMessage",
          content: [
            { type: "text", text: hostile },
            { type: "image", url: hostile },
          ],
        },
        { type: "agentMessage", text: hostile, questions: [{ title: hostile, options: [hostile] }] },
        { type: "reasoning", summary: [hostile], content: [] },
        command({ command: hostile, cwd: hostile, aggregatedOutput: hostile }),
        {
          type: "fileChange",
          status: "completed",
          changes: [{ path: hostile, kind: { type: "add" }, diff: hostile }],
        },
        {
          type: "mcpToolCall",
          server: hostile,
          tool: hostile,
          status: "completed",
          arguments: { [hostile]: hostile },
        },
        { type: "webSearch", query: hostile },
      ];
      const page = createThreadPage(STYLE);
      const html = [
        page.head({ ...whole, name: hostile, cwd: hostile }, null),
        page.turn({
          turn: turn(items),
          tokens: null,
          plan: [{ step: hostile, status: "pending" }],
          decisions: [decision({ command: hostile, itemId: "gone" })],
        }),
        page.end(),
      ].join("");
      expect(strangersIn(html)).toEqual([]);
    }),
  );
});

/** Elements and attributes that no page has; the renderer writes each attribute in double quotes, or without a value. */
function strangersIn(html: string): string[] {
  const withoutStyle = html.replace(/<style>[^<]*<\/style>/u, "");
  return [...withoutStyle.matchAll(/<(\/?)([^\s>/]*)((?:"[^"]*"|[^">])*)>?/gu)].flatMap(
    ([, close, name = "", rest = ""]) => {
      const attributes = close === "" ? [...rest.replaceAll(/"[^"]*"/gu, "").matchAll(/[^\s=/]+/gu)] : [];
      return [
        ...(ELEMENTS.has(name) || name === "!doctype" ? [] : [name]),
        ...attributes
          .map(([attribute]) => attribute)
          .filter((attribute) => !ATTRIBUTES.has(attribute) && name !== "!doctype"),
      ];
    },
  );
}
