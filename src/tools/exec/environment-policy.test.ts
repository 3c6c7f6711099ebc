import { expect, test } from "vitest";
import { applyEnvironmentPolicy, DEFAULT_ENVIRONMENT_POLICY } from "./environment-policy.ts";

const OWN = {
  PATH: "/bin",
  Home: "/home/me",
  API_KEY: "k",
  my_token: "t",
  FOO: "1",
  NODE_REPL_AUTH_TOKEN: "x",
};
const apply = (policy: Partial<typeof DEFAULT_ENVIRONMENT_POLICY>) =>
  applyEnvironmentPolicy(OWN, { ...DEFAULT_ENVIRONMENT_POLICY, ...policy });

test("everything is inherited by default, but for what belongs to the server's launch", () => {
  expect(apply({})).toEqual({ PATH: "/bin", Home: "/home/me", API_KEY: "k", my_token: "t", FOO: "1" });
});

test("the core is a few names, whatever their case", () => {
  expect(apply({ inherit: "core" })).toEqual({ PATH: "/bin", Home: "/home/me" });
});

test("nothing is inherited when nothing is to be", () => {
  expect(apply({ inherit: "none", set: { A: "b" } })).toEqual({ A: "b" });
});

test("names that sound secret go unless they are to stay", () => {
  expect(apply({ ignoreDefaultExcludes: false })).toEqual({ PATH: "/bin", Home: "/home/me", FOO: "1" });
});

test("what is set comes after what is excluded and before what alone is included", () => {
  expect(
    apply({
      exclude: ["f?o", "*_KEY"],
      set: { FOO: "2", BAR: "3", NODE_REPL_AUTH_TOKEN: "y" },
      includeOnly: ["foo", "P*"],
    }),
  ).toEqual({ PATH: "/bin", FOO: "2" });
});
