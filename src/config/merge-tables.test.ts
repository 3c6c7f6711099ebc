import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { mergeTables } from "./merge-tables.ts";
import {
  createTable,
  isTable,
  sameValue,
  type TomlTable,
  type TomlValue,
  toJson,
  valueAt,
} from "./toml/toml-value.ts";

const toml = (text: string): TomlTable => parse(text, { integersAsBigInt: true });

const merged = (...texts: string[]) => toJson(mergeTables(texts.map(toml)));

describe("layers", () => {
  test("tables are merged and everything else is replaced", () => {
    expect(merged("a = 1\nl = [1, 2]\n[t]\nb = 1\nc = 1", "l = [3]\n[t]\nc = { d = 2 }")).toEqual({
      a: 1,
      l: [3],
      t: { b: 1, c: { d: 2 } },
    });
  });

  test("an older name of a key and its newer name are one key", () => {
    expect(merged("[agents]\nmax_threads = 3", "[agents]\nmax_concurrent_threads_per_session = 4")).toEqual({
      agents: { max_concurrent_threads_per_session: 4 },
    });
    expect(merged("[agents]\nmax_threads = 3")).toEqual({
      agents: { max_concurrent_threads_per_session: 3 },
    });
  });

  test("one way of writing environment filters replaces the other", () => {
    const lists = '[shell_environment_policy]\nexclude = ["A"]\ninclude_only = ["B"]\ninherit = "all"';
    const filters = '[shell_environment_policy.filters]\nC = "exclude"';
    expect(merged(lists, filters)).toEqual({
      shell_environment_policy: { inherit: "all", filters: { C: "exclude" } },
    });
    expect(merged(filters, lists)).toEqual({
      shell_environment_policy: { exclude: ["A"], include_only: ["B"], inherit: "all" },
    });
  });

  test("environment filters and hosts meet in any spelling", () => {
    expect(
      merged(
        '[shell_environment_policy.filters]\nAWS = "include"',
        '[shell_environment_policy.filters]\naws = "exclude"',
      ),
    ).toEqual({ shell_environment_policy: { filters: { aws: "exclude" } } });
    const hosts = (name: string, verdict: string) =>
      `[permissions.p.network.domains]\n"${name}" = "${verdict}"`;
    expect(merged(hosts("Example.COM", "allow"), hosts("example.com", "deny"))).toEqual({
      permissions: { p: { network: { domains: { "example.com": "deny" } } } },
    });
  });

  test("a feature that is a table keeps its settings when it is switched", () => {
    expect(merged("[features.multi_agent_v2]\nx = 1", "features.multi_agent_v2 = true")).toEqual({
      features: { multi_agent_v2: { x: 1, enabled: true } },
    });
    expect(merged("features.multi_agent_v2 = true", "[features.multi_agent_v2]\nx = 1")).toEqual({
      features: { multi_agent_v2: { enabled: true, x: 1 } },
    });
  });

  test("keys that objects inherit are plain keys", () => {
    expect(JSON.stringify(merged("[__proto__]\na = 1", "[__proto__]\nb = 2\n[constructor]\nc = 3"))).toBe(
      '{"__proto__":{"a":1,"b":2},"constructor":{"c":3}}',
    );
  });
});

/** As in valid files, a key that is a table in one layer is a table in every layer. */
const node: fc.Arbitrary<TomlTable> = fc.letrec<{ table: TomlTable; entry: [string, TomlValue] }>((tie) => ({
  entry: fc.oneof(
    { depthSize: "small" },
    fc.tuple(fc.constantFrom("a", "b", "c"), fc.bigInt(0n, 3n)),
    fc.tuple(fc.constantFrom("l"), fc.constant<TomlValue>([1n])),
    fc.tuple(fc.constantFrom("T", "agents", "__proto__"), tie("table")),
  ),
  table: fc.array(tie("entry"), { maxLength: 4 }).map((entries) => createTable(entries)),
})).table;

/** Paths to values that are not tables. */
function leaves(table: TomlTable, path: readonly string[] = []): string[][] {
  return Object.entries(table).flatMap(([name, value]) =>
    isTable(value) && Object.keys(value).length > 0 ? leaves(value, [...path, name]) : [[...path, name]],
  );
}

describe("any layers", () => {
  test("merge to the same whichever neighbours are merged first", () => {
    fc.assert(
      fc.property(node, node, node, (a, b, c) => {
        const left = mergeTables([mergeTables([a, b]), c]);
        const right = mergeTables([a, mergeTables([b, c])]);
        expect(sameValue(left, right)).toBe(true);
      }),
    );
  });

  test("give every value of the last one", () => {
    fc.assert(
      fc.property(fc.array(node), node, (lower, last) => {
        const whole = mergeTables([...lower, last]);
        for (const path of leaves(last)) {
          const value = valueAt(last, path);
          if (!isTable(value)) expect(valueAt(whole, path)).toEqual(value);
        }
      }),
    );
  });

  test("are not changed by being merged", () => {
    fc.assert(
      fc.property(node, node, (a, b) => {
        const before = [toJson(a), toJson(b)];
        mergeTables([a, b]);
        expect([toJson(a), toJson(b)]).toEqual(before);
      }),
    );
  });
});
