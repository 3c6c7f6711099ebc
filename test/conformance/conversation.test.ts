import { describe, expect, it } from "vitest";
import { describeConversation } from "./conversation.ts";

const message = (role: string, ...texts: string[]) => ({
  type: "message",
  id: "msg_1",
  role,
  content: texts.map((text) => ({ type: "input_text", text })),
});
const asked = (input: unknown[], thread = "a") => ({ body: { input, prompt_cache_key: thread } });

const opening = [
  message("developer", "You are an agent."),
  message("developer", "<permissions instructions>\nask"),
  message("user", "# AGENTS.md instructions for /x", "<environment_context>\n  <cwd>/x</cwd>"),
];

describe("describeConversation", () => {
  it("shows what a request adds, facts in full and instructions by their tag", () => {
    const first = [...opening, message("user", "Hello")];
    const second = [
      ...first,
      { type: "function_call_output", call_id: "c", output: "done" },
      message("developer", "<permissions instructions>\nnever"),
      message("user", "<environment_context>\n  <cwd>/y</cwd>"),
      message("user", "<turn_aborted>\nwords"),
    ];
    expect(describeConversation([asked(first), asked(second)])).toEqual([
      {
        added: [
          "developer: instructions",
          { developer: ["<permissions>"] },
          { user: ["# AGENTS.md", "<environment_context>"] },
          { user: ["Hello"] },
        ],
      },
      {
        added: [
          { type: "function_call_output", call_id: "c", output: "done" },
          { developer: ["<permissions>"] },
          { user: ["<environment_context>\n  <cwd>/y</cwd>"] },
          { user: ["<turn_aborted>"] },
        ],
      },
    ]);
  });

  it("shows a history that was replaced as a whole", () => {
    const first = [message("user", "Hello"), message("assistant", "Hi")];
    expect(
      describeConversation([asked(first), asked([message("user", "It was so: SUMMARY of it")])])[1],
    ).toEqual({
      rewritten: true,
      added: [{ user: ["… SUMMARY of it"] }],
    });
  });

  it("keeps the threads apart", () => {
    const hello = message("user", "Hello");
    const again = message("user", "Again");
    expect(
      describeConversation([asked([hello]), asked([again], "b"), asked([hello, again])]).map(
        ({ added }) => added,
      ),
    ).toEqual([[{ user: ["Hello"] }], [{ user: ["Again"] }], [{ user: ["Again"] }]]);
  });
});
