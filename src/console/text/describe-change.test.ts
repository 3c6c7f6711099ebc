import { expect, test } from "vitest";
import { requestRows } from "../../protocol/generated/table.ts";
import { describeChange, personOf } from "./describe-change.ts";

const audited = Object.entries(requestRows).flatMap(([method, row]) =>
  row.isAudited === true ? [method] : [],
);

test.each(audited)("%s has words", (method) => {
  expect(describeChange({ method, detail: null })).not.toBe(method);
});

test("trust is told from other changes of the configuration", () => {
  const of = (detail: string) => describeChange({ method: "config/batchWrite", detail });
  expect(of("hooks.state /x/hooks.json:stop:0:0 trusted_hash")).toBe("trusted a hook");
  expect(of('removed hooks.state."/x:stop:0:0".trusted_hash')).toBe("took the trust of a hook back");
  expect(of("hooks.state /x/hooks.json:stop:0:0 enabled")).toBe("switched a hook");
  expect(of("model")).toBe("changed the configuration");
});

test("a person is named before a program", () => {
  expect(personOf({ subject: "ana", clientName: "console" })).toBe("ana");
  expect(personOf({ subject: null, clientName: "console" })).toBe("console");
  expect(personOf({ subject: null, clientName: null })).toBe("a client");
});
