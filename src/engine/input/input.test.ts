import { describe, expect, it } from "vitest";
import type { UserInput } from "../../protocol/generated/types.ts";
import { findMentionedSkills, toSkillMessage } from "../../skills/mentioned-skills.ts";
import { contextFault, toContextMessages } from "../context/context-log.ts";
import { toOutputFormat } from "../turn/model-request.ts";
import { inputPreview, toUserItem } from "./user-message.ts";

const said = (text: string): UserInput => ({ type: "text", text });

describe("what the user gives, for clients", () => {
  it("has all its members", () => {
    const input: UserInput[] = [
      said("a"),
      { type: "image", url: "data:x" },
      { type: "localImage", path: "/a.png", detail: "low" },
      { type: "skill", name: "s", path: "/s" },
    ];
    expect(toUserItem("id", { input, clientUserMessageId: "client", sentBy: null }, 5)).toStrictEqual({
      type: "userMessage",
      id: "id",
      clientId: "client",
      content: [
        { type: "text", text: "a", text_elements: [] },
        { type: "image", url: "data:x", detail: null },
        { type: "localImage", path: "/a.png", detail: "low" },
        { type: "skill", name: "s", path: "/s" },
      ],
      startedAtMs: 5,
      completedAtMs: null,
    });
  });

  it.each<[UserInput[], string | null]>([
    [[{ type: "image", url: "data:x" }, said(" a\n"), said("b ")], "a\nb"],
    [[said(" "), { type: "localImage", path: "/a.png" }], "[Image]"],
    [[{ type: "audio", url: "data:x" }], "[Audio]"],
    [[{ type: "skill", name: "s", path: "/s" }], null],
  ])("%j is previewed as %j", (input, preview) => {
    expect(inputPreview(input)).toBe(preview);
  });
});

describe("what an application adds", () => {
  it("comes as words of the user or of the developer, in the order of its names", () => {
    const context = {
      b: { kind: "application", value: "v2" },
      a: { kind: "untrusted", value: "v1", name: "page" },
    } as const;
    expect(toContextMessages(context, {})).toStrictEqual([
      {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "<external_a>v1</external_a>" }],
      },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "<b>v2</b>" }] },
    ]);
  });

  it("comes again only when it has changed", () => {
    const before = { a: { kind: "untrusted", value: "v1" }, b: { kind: "untrusted", value: "v2" } } as const;
    const now = {
      a: { kind: "untrusted", value: "v1", name: null },
      b: { kind: "application", value: "v2" },
    } as const;
    expect(toContextMessages(now, before)).toStrictEqual([
      { type: "message", role: "developer", content: [{ type: "input_text", text: "<b>v2</b>" }] },
    ]);
  });

  it("is shortened in its middle", () => {
    const [message] = toContextMessages({ a: { kind: "untrusted", value: "x".repeat(5000) } }, {});
    const text = `<external_a>${"x".repeat(2000)}…250 tokens truncated…${"x".repeat(2000)}</external_a>`;
    expect(message).toStrictEqual({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  });

  it.each([
    [{ kind: "untrusted", value: "", name: "N" }, "additional context name must match [a-z][a-z0-9_]{0,63}"],
    [
      { kind: "application", value: "", name: "n" },
      "additional context name is only supported for untrusted context",
    ],
    [{ kind: "application", value: "" }, null],
  ] as const)("%j is checked", (entry, fault) => {
    expect(contextFault({ a: entry })).toBe(fault);
  });
});

describe("the skills that a user asks for", () => {
  const skill = (name: string, path: string, enabled = true) => ({ name, path, enabled });
  const demo = skill("demo", "/skills/demo/SKILL.md");
  const other = skill("other", "/skills/other/SKILL.md");
  const twins = [skill("twin", "/a/SKILL.md"), skill("twin", "/b/SKILL.md")] as const;
  const off = skill("off", "/off/SKILL.md", false);
  const skills = [demo, other, ...twins, off];

  it.each<[string, UserInput[], readonly unknown[]]>([
    ["by path", [said("x"), { type: "skill", name: "demo", path: "/skills/./demo/SKILL.md" }], [demo]],
    ["by name", [said("use $demo, or $other: now")], [demo]],
    ["by a link", [said("[$any](/b/SKILL.md) and [$x] (skill:///skills/other/SKILL.md)")], [other, twins[1]]],
    ["once", [said("$demo $demo"), { type: "skill", name: "demo", path: demo.path }], [demo]],
    ["not by a name that two have", [said("$twin")], []],
    ["not when it is off", [said("$off"), { type: "skill", name: "off", path: off.path }], []],
    ["not by a link to something else", [said("[$demo](app://demo)")], []],
    [
      "not by a name that was chosen with another path",
      [said("$demo"), { type: "skill", name: "demo", path: "/x" }],
      [],
    ],
  ])("are found %s", (_, input, found) => {
    expect(findMentionedSkills(input, skills)).toStrictEqual(found);
  });

  it("are given to the model whole", () => {
    expect(toSkillMessage(demo, "---\nname: demo\n---\nbody\n")).toStrictEqual({
      type: "message",
      role: "user",
      content: [
        {
          type: "input_text",
          text: "<skill>\n<name>demo</name>\n<path>/skills/demo/SKILL.md</path>\n---\nname: demo\n---\nbody\n\n</skill>",
        },
      ],
    });
  });
});

describe("a schema for the answer", () => {
  it("is told to the provider as one that must be followed", () => {
    const schema = { type: "object" };
    expect([toOutputFormat(schema), toOutputFormat(null), toOutputFormat(undefined)]).toStrictEqual([
      { type: "json_schema", strict: true, schema, name: "codex_output_schema" },
      null,
      null,
    ]);
  });
});
