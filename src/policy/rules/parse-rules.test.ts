import { expect, test } from "vitest";
import { processorTime } from "../../base/processor-time.fixture.ts";
import { parseRules } from "./parse-rules.ts";
import { NO_RULES } from "./rule-set.ts";

test("rules are parsed with all their values", () => {
  const source = `
"""What this team allows."""
TOOLS = ["cargo", "npm"]  # either
prefix_rule(
    pattern = [TOOLS + ["make"], "test", ["-q", "-v"]],
    decision = "prompt",
    justification = "it takes " + 'long',
    match = ["npm test -q now", ["make", "test", "-v"]],
    not_match = ["npm test"],
)
prefix_rule(["ls"]); network_rule(host="API.example.org:443", protocol="https_connect", decision="deny")
host_executable(name="git", paths=["/usr/bin/git", "/usr/bin/git"])
`;
  expect(parseRules(source)).toMatchObject({
    ok: true,
    rules: {
      prefixRules: [
        {
          pattern: [["cargo", "npm", "make"], ["test"], ["-q", "-v"]],
          decision: "prompt",
          justification: "it takes long",
        },
        { pattern: [["ls"]], decision: "allow", justification: null },
      ],
      networkRules: [
        { host: "api.example.org", protocol: "https", decision: "forbidden", justification: null },
      ],
      hostExecutables: new Map([["git", ["/usr/bin/git"]]]),
    },
  });
});

test.each([
  [String.raw`"a\n\x41\u00e9\101\q\\"`, "a\nA\u00e9A\\q\\"],
  [String.raw`r"a\nb"`, String.raw`a\nb`],
  ["'''a\n\"b'''", 'a\n"b'],
])("the text %s is read", (text, expected) => {
  expect(parseRules(`prefix_rule(pattern=[${text}])`).rules.prefixRules[0]?.pattern).toEqual([[expected]]);
});

test.each([
  ["prefix_rule(pattern=[])", 1, "invalid pattern element: pattern cannot be empty"],
  ["prefix_rule(pattern=[[]])", 1, "invalid pattern element: pattern alternatives cannot be empty"],
  [
    "prefix_rule(pattern=[1])",
    1,
    "invalid pattern element: pattern element must be a string or list of strings (got int)",
  ],
  [
    "prefix_rule(pattern=[[None]])",
    1,
    "invalid pattern element: pattern alternative must be a string (got NoneType)",
  ],
  ['prefix_rule(pattern="a")', 1, "`pattern` must be a list (got string)"],
  ['\nprefix_rule(decision="allow")', 2, "prefix_rule needs `pattern`"],
  ['prefix_rule(pattern=["a"], decision="maybe")', 1, "invalid decision: maybe"],
  ['prefix_rule(pattern=["a"], decision=True)', 1, "`decision` must be a text (got bool)"],
  ['prefix_rule(pattern=["a"], justification=" ")', 1, "invalid rule: justification cannot be empty"],
  ['prefix_rule(pattern=["a"], colour="red")', 1, "prefix_rule has no parameter `colour`"],
  ['prefix_rule(["a"], pattern=["b"])', 1, "`pattern` is given twice"],
  ['prefix_rule(["a"], "allow", [], [], "j", "k")', 1, "prefix_rule takes at most 5 values"],
  [
    'prefix_rule(pattern=["a"], match=["b c"])',
    1,
    "expected every example to match at least one rule. unmatched examples: b c",
  ],
  ['prefix_rule(pattern=["a"], not_match=["a b"])', 1, "expected example to not match rule: a b"],
  [`prefix_rule(pattern=["a"], match=["'"])`, 1, "invalid example: example string has invalid shell syntax"],
  ['prefix_rule(pattern=["a"], match=[""])', 1, "invalid example: example cannot be an empty string"],
  ['prefix_rule(pattern=["a"], match=[[]])', 1, "invalid example: example cannot be an empty list"],
  ['prefix_rule(pattern=["a"], match=[[1]])', 1, "invalid example: example tokens must be strings (got int)"],
  [
    'prefix_rule(pattern=["a"], match=[1])',
    1,
    "invalid example: example must be a string or list of strings (got int)",
  ],
  [
    'network_rule(host="*.a", protocol="http", decision="allow")',
    1,
    "invalid rule: network_rule host must be a specific host; wildcards are not allowed",
  ],
  [
    'network_rule(host="a", protocol="ftp", decision="allow")',
    1,
    "invalid rule: network_rule protocol must be one of http, https, socks5_tcp, socks5_udp (got ftp)",
  ],
  [
    'host_executable(name="git", paths=["bin/git"])',
    1,
    "invalid rule: host_executable paths must be absolute (got bin/git)",
  ],
  [
    'host_executable(name="git", paths=["/bin/hg"])',
    1,
    "invalid rule: host_executable path `/bin/hg` must have basename `git`",
  ],
  [
    'host_executable(name="a/b", paths=[])',
    1,
    "invalid rule: host_executable name must be a bare executable name (got a/b)",
  ],
  ["allow_all()", 1, "there is no rule called `allow_all`"],
  ["prefix_rule(pattern=[X])", 1, "`X` has no value"],
  ['for x in ["a"]:\n  prefix_rule(pattern=[x])', 1, "`for` is not supported in rules"],
  [
    'prefix_rule(pattern=["a"])\n  prefix_rule(pattern=["b"])',
    2,
    "a rule must begin at the start of its line",
  ],
  ['prefix_rule(pattern=["a"]) ls', 1, 'expected the end of the line, found "ls"'],
  ['prefix_rule(\n  pattern=["a",\n', 3, "expected a value, found the end of the file"],
  ['prefix_rule(pattern=["a)\n', 1, "a text is not closed"],
  ["x = ?", 1, 'unexpected "?"'],
  ['x = "a" + ["b"]', 1, "only two texts or two lists can be added"],
])("%j has a fault in line %i", (source, line, message) => {
  expect(parseRules(source)).toMatchObject({ ok: false, range: { start: { line } }, message });
});

test("rules before an error are kept", () => {
  const { rules } = parseRules('prefix_rule(pattern=["a"])\nprefix_rule(pattern=[])');
  expect(rules.prefixRules).toEqual([{ pattern: [["a"]], decision: "allow", justification: null, line: 1 }]);
});

test("examples use the host executables of earlier files", () => {
  const before = { ...NO_RULES, hostExecutables: new Map([["git", ["/usr/bin/git"]]]) };
  const source = 'prefix_rule(pattern=["git"], match=["/usr/bin/git a"], not_match=["/tmp/git a"])';
  expect(parseRules(source, before)).toMatchObject({ ok: true });
});

test.each([
  ["prefix_rule(", [1, 13], [1, 13]],
  ['prefix_rule(pattern=["a"], decision="maybe")', [1, 1], [1, 45]],
  ["# note\nprefix_rule(\n  pattern=[1],\n)", [2, 1], [4, 2]],
  ['x = ["a" ?]', [1, 10], [1, 11]],
])("%j has its fault from %j to %j", (source, from, to) => {
  const place = ([line = 0, column = 0]: number[]) => ({ line, column });
  expect(parseRules(source)).toMatchObject({ ok: false, range: { start: place(from), end: place(to) } });
});

test.each([
  [
    "sums of sums",
    `a0=["x","y"]\n${Array.from({ length: 40 }, (_, each) => `a${each + 1}=a${each}+a${each}`).join("\n")}`,
    "a sum is larger than 65536",
  ],
  ["a long sum", `a=["x"${',"y"'.repeat(60_000)}]${'+["x"]'.repeat(9000)}`, "a sum is larger than 65536"],
  [
    "a list in many places",
    `a=["x"${',"y"'.repeat(20_000)}]\nprefix_rule(pattern=[${"a,".repeat(4000)}])`,
    "the rules have more than 262144 words",
  ],
  ["a host of dots", `network_rule(host="${".".repeat(100_000)}x", protocol="http", decision="allow")`, null],
])("%s is read or refused at once", (_name, source, message) => {
  const parsed = parseRules(source);
  expect(parsed.ok ? null : parsed.message).toBe(message);
  expect(processorTime(() => parseRules(source))).toBeLessThan(300);
});
