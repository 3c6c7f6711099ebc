import { describe, expect, it } from "vitest";
import { omissions } from "./differences.ts";
import { requirements } from "./requirements.ts";
import { scenarios } from "./scenarios/index.ts";

const names = new Set(scenarios.map(({ name }) => name));
const cited = new Set(requirements.flatMap((each) => ("scenarios" in each ? each.scenarios : [])));

describe("requirements", () => {
  it("have unique ids", () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it("cite scenarios that exist", () => {
    expect([...cited].filter((name) => !names.has(name))).toEqual([]);
  });

  it("cite omissions that exist", () => {
    const known = new Set(omissions.map(({ id }) => id));
    const lost = requirements.filter((each) => "omission" in each && !known.has(each.omission));
    expect(lost.map(({ id }) => id)).toEqual([]);
  });
});

describe("scenarios", () => {
  it("have unique names of the form area/behaviour", () => {
    const list = scenarios.map(({ name }) => name);
    expect(list.filter((name, index) => list.indexOf(name) !== index)).toEqual([]);
    expect(list.filter((name) => !/^[a-z0-9-]+\/[a-z0-9-]+$/u.test(name))).toEqual([]);
  });

  it("say what they show in one sentence", () => {
    expect(scenarios.filter(({ about }) => !/^\S.*\.$/u.test(about)).map(({ name }) => name)).toEqual([]);
  });

  it("are each cited by a requirement", () => {
    expect([...names].filter((name) => !cited.has(name))).toEqual([]);
  });
});
