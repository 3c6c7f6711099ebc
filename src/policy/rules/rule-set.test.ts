import { expect, test } from "vitest";
import { parseRules } from "./parse-rules.ts";
import { matchRules, mergeRules, strictest, withAllowedPrefix } from "./rule-set.ts";

const set = (...lines: string[]) => parseRules(lines.join("\n")).rules;
const decided = (rules: ReturnType<typeof set>, argv: string[]) =>
  matchRules(rules, argv).map(({ rule, prefix }) => [rule.decision, prefix.join(" ")]);

test("every rule with a prefix of the command matches, and the strictest applies", () => {
  const rules = set(
    'prefix_rule(pattern=["git"])',
    'prefix_rule(pattern=["git", ["push", "pull"]], decision="prompt")',
    'prefix_rule(pattern=["git", "push", "-f"], decision="forbidden")',
  );
  expect(decided(rules, ["git", "push", "-f", "x"])).toEqual([
    ["allow", "git"],
    ["prompt", "git push"],
    ["forbidden", "git push -f"],
  ]);
  expect(decided(rules, ["git"])).toEqual([["allow", "git"]]);
  expect(decided(rules, ["hg"])).toEqual([]);
  expect([strictest(["allow", "forbidden", "prompt"]), strictest([])]).toEqual(["forbidden", null]);
});

test("a rule for an empty word needs that word", () => {
  expect(decided(set('prefix_rule(pattern=["a", ""])'), ["a"])).toEqual([]);
});

test("a program path matches rules for its name if it is a system path or a host executable", () => {
  const anywhere = set(
    'prefix_rule(pattern=["git"])',
    'prefix_rule(pattern=["git", "push"], decision="prompt")',
  );
  const named = set('prefix_rule(pattern=["git"])', 'host_executable(name="git", paths=["/usr/bin/git"])');
  const exact = set(
    'prefix_rule(pattern=["git"])',
    'prefix_rule(pattern=["/opt/git"], decision="forbidden")',
  );
  for (const folder of ["/bin", "/usr/bin", "/usr/local/bin", "/sbin"]) {
    expect(decided(anywhere, [`${folder}/git`, "a"])).toEqual([["allow", "git"]]);
  }
  for (const folder of ["/tmp", "/usr/bin/../../tmp", "/home/me/bin", "/usr/bin/x"]) {
    expect(decided(anywhere, [`${folder}/git`, "a"])).toEqual([]);
    expect(decided(anywhere, [`${folder}/git`, "push"])).toEqual([["prompt", "git push"]]);
  }
  expect(decided(anywhere, ["./git", "a"])).toEqual([]);
  expect(decided(named, ["/usr/bin/git"])).toEqual([["allow", "git"]]);
  expect(decided(named, ["/opt/git"])).toEqual([]);
  expect(decided(exact, ["/opt/git"])).toEqual([["forbidden", "/opt/git"]]);
});

test("sets are merged in order, and later program paths replace earlier ones", () => {
  const merged = mergeRules(
    set('prefix_rule(pattern=["a"])', 'host_executable(name="a", paths=["/x/a"])'),
    set('prefix_rule(pattern=["a"], decision="prompt")', 'host_executable(name="a", paths=["/y/a"])'),
  );
  expect(decided(merged, ["/y/a"])).toEqual([
    ["allow", "a"],
    ["prompt", "a"],
  ]);
  expect(decided(merged, ["/x/a"])).toEqual([]);
  expect(decided(withAllowedPrefix(merged, ["b", "c"]), ["b", "c", "d"])).toEqual([["allow", "b c"]]);
});
