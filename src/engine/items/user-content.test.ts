import { describe, expect, it } from "vitest";
import { isContextText } from "./user-content.ts";

describe("text that the server put into the conversation", () => {
  it.each([
    "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nread\n</INSTRUCTIONS>",
    "  <Environment_Context>x</ENVIRONMENT_context>\n",
    "<external_page>x</external_page>",
    "<skill>x</skill>",
    "<user_shell_command>x</user_shell_command>",
    "<turn_aborted>x</turn_aborted>",
    "<subagent_notification>x</subagent_notification>",
    "<recommended_plugins>x</recommended_plugins>",
    '<codex_internal_context source="goal">x</codex_internal_context>',
    "<goal_context>x</goal_context>",
    "Warning: apply_patch was requested via x. Use the apply_patch tool instead of exec_command.",
  ])("is recognized: %j", (text) => {
    expect(isContextText(text)).toBe(true);
  });

  it.each([
    "hello",
    "",
    "<environment_context>x</environment_context> and more",
    "<external_a>x</external_b>",
    "<codex_internal_context>x</codex_internal_context>",
    "<permissions instructions>x</permissions instructions>",
    "<user_instructions>x</user_instructions>",
    "<token_budget>x</token_budget>",
  ])("is not: %j", (text) => {
    expect(isContextText(text)).toBe(false);
  });
});
