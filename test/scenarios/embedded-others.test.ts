import { expect, test } from "vitest";
import { RENEW, readGolden, titleOf } from "../conformance/golden.ts";
import { embeddedTasks, playEmbedded, tasks } from "./golden-suite.ts";

playEmbedded(embeddedTasks.others);

test("every golden trace belongs to a scenario", async () => {
  const titles = new Set(tasks.map(({ scenario, transport }) => titleOf(scenario, transport)));
  const { lines } = await readGolden();
  const lost = [...lines.keys()].filter((title) => !titles.has(title));
  expect(lost, `traces of scenarios that are gone: ${RENEW}`).toEqual([]);
});
