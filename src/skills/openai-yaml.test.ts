import { expect, test } from "vitest";
import { NO_OPENAI_YAML, readOpenaiYaml } from "./openai-yaml.ts";

const NOTHING = {
  displayName: null,
  shortDescription: null,
  iconSmall: null,
  iconLarge: null,
  iconSmallUrl: null,
  iconLargeUrl: null,
  brandColor: null,
  defaultPrompt: null,
};
const read = (text: string) => {
  const result = readOpenaiYaml(text, "/skills/a");
  return result.ok ? result.value : result.message;
};

test("interface, dependencies and policy are read", () => {
  const text = `
interface:
  display_name: "Full  Name"
  short_description: 'short'
  icon_small: "./assets/a.svg"
  icon_large: assets/sub/b.png
  brand_color: "#12ABef"
  default_prompt: >
    Use this
    thing
dependencies:
  tools:
    - type: "mcp"
      value: "docs"
      description: "All docs"
      transport: "streamable_http"
      url: "https://x/y"
    - {type: env_var, value: TOKEN, command: foo, oauth: {callbackPort: 99}}
    - value: without a type
policy:
  allow_implicit_invocation: false
  products:
  - codex
  - CHATGPT
`;
  expect(read(text)).toEqual({
    interface: {
      displayName: "Full Name",
      shortDescription: "short",
      iconSmall: "/skills/a/assets/a.svg",
      iconLarge: "/skills/a/assets/sub/b.png",
      iconSmallUrl: null,
      iconLargeUrl: null,
      brandColor: "#12ABef",
      defaultPrompt: "Use this thing",
    },
    dependencies: {
      tools: [
        {
          type: "mcp",
          value: "docs",
          description: "All docs",
          transport: "streamable_http",
          url: "https://x/y",
        },
        { type: "env_var", value: "TOKEN", command: "foo" },
      ],
    },
    allowImplicitInvocation: false,
    forCodex: true,
  });
});

test.each([
  "",
  "# nothing",
  "foo: bar",
  "interface:\ndependencies:\npolicy:",
  "interface:\n  displayName: wrong key",
  "interface:\n  brand_color: red\n  display_name: '  '",
  "dependencies:\n  tools:",
])("%j says nothing", (text) => {
  expect(read(text)).toEqual(NO_OPENAI_YAML);
});

test.each([
  ["an absolute icon", "icon_small: /skills/a/assets/x.png"],
  ["an icon outside of assets", "icon_small: other/x.png"],
  ["an icon that climbs out", "icon_small: assets/../../x.png"],
  ["a colour that is none", "brand_color: '#12345g'"],
  ["a name that is too long", `display_name: ${"x".repeat(65)}`],
  ["a prompt that is too long", `default_prompt: ${"x".repeat(1025)}`],
])("%s is left out", (_, line) => {
  expect(read(`interface:\n  short_description: s\n  ${line}`)).toEqual({
    ...NO_OPENAI_YAML,
    interface: { ...NOTHING, shortDescription: "s" },
  });
});

test.each([
  ["policy: {products: [chatgpt]}", false],
  ["policy: {products: [atlas, CODEX]}", true],
  ["policy: {products: []}", true],
])("%s: meant for coding agents: %s", (text, forCodex) => {
  expect(read(text)).toEqual({ ...NO_OPENAI_YAML, forCodex });
});

test.each([
  ["foo", 'invalid type: string "foo", expected struct SkillMetadataFile'],
  [
    "interface: foo",
    'interface: invalid type: string "foo", expected struct SkillInterfaceFile at line 1 column 12',
  ],
  [
    "interface:\n  display_name: a\n  display_name: b",
    "interface: duplicate field `display_name` at line 2 column 3",
  ],
  [
    "dependencies: {tools: a}",
    'dependencies.tools: invalid type: string "a", expected a sequence at line 1 column 23',
  ],
  [
    "policy:\n  allow_implicit_invocation: no",
    'policy.allow_implicit_invocation: invalid type: string "no", expected a boolean at line 2 column 30',
  ],
  ["policy: {products: [foo]}", "policy.products[0]: unknown variant `foo` at line 1 column 21"],
])("%j is refused", (text, message) => {
  expect(read(text)).toBe(message);
});
