import { expect, test } from "vitest";
import { canBeEmbedded, startEmbedded } from "../conformance/embedded-server.ts";
import { RENEW, readGolden, titleOf } from "../conformance/golden.ts";
import { playScenarios, tasks } from "./golden-suite.ts";

playScenarios(
  "a server in this process",
  tasks.filter(({ scenario, transport }) => canBeEmbedded(scenario, transport)),
  startEmbedded,
);

test("every golden trace belongs to a scenario", async () => {
  const titles = new Set(tasks.map(({ scenario, transport }) => titleOf(scenario, transport)));
  const { lines } = await readGolden();
  const lost = [...lines.keys()].filter((title) => !titles.has(title));
  expect(lost, `traces of scenarios that are gone: ${RENEW}`).toEqual([]);
});
