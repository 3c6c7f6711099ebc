import { expect, test } from "vitest";
import { toRequiredRules } from "./required-rules.ts";
import { NO_RULES } from "./rule-set.ts";

test("the administrator's rules are parsed", () => {
  const table = {
    prefix_rules: [
      { pattern: [{ token: "rm" }], decision: "forbidden", justification: "use trash" },
      { pattern: [{ any_of: ["git", "hg"] }, { token: "push" }], decision: "prompt" },
    ],
  };
  expect(toRequiredRules(table)).toEqual({
    ok: true,
    value: {
      ...NO_RULES,
      prefixRules: [
        { pattern: [["rm"]], decision: "forbidden", justification: "use trash" },
        { pattern: [["git", "hg"], ["push"]], decision: "prompt", justification: null },
      ],
    },
  });
});

const first = (rule: object) => ({ prefix_rules: [rule] });
const pattern = [{ token: "a" }];

test.each([
  [{}, "rules prefix_rules cannot be empty"],
  [null, "rules prefix_rules cannot be empty"],
  [first({ pattern: [], decision: "prompt" }), "rules prefix_rule at index 0 has an empty pattern"],
  [first({ pattern }), "rules prefix_rule at index 0 is missing a decision"],
  [first({ pattern, decision: "maybe" }), 'rules prefix_rule at index 0 has an invalid decision: "maybe"'],
  [
    first({ pattern, decision: "prompt", justification: " " }),
    "rules prefix_rule at index 0 has an empty justification",
  ],
  [
    first({ pattern: [{ token: "a" }, {}], decision: "prompt" }),
    "rules prefix_rule at index 0 has an invalid pattern token at index 1: set either token or any_of",
  ],
  [
    first({ pattern: [{ token: "a", any_of: ["b"] }], decision: "prompt" }),
    "rules prefix_rule at index 0 has an invalid pattern token at index 0: set either token or any_of, not both",
  ],
  [
    first({ pattern: [{ any_of: ["b", ""] }], decision: "prompt" }),
    "rules prefix_rule at index 0 has an invalid pattern token at index 0: any_of cannot include empty tokens",
  ],
  [
    first({ pattern, decision: "allow" }),
    "rules prefix_rule at index 0 has decision 'allow', which is not permitted in requirements.toml: these rules are merged with other config and the most restrictive result counts (use 'prompt' or 'forbidden')",
  ],
])("%j is refused", (table, message) => {
  expect(toRequiredRules(table)).toEqual({ ok: false, message });
});
