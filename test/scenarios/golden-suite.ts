/** Plays scenarios on Heddle alone and compares what it does with the golden traces. */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { canBeEmbedded, startEmbedded } from "../conformance/embedded-server.ts";
import { type Golden, RENEW, readGolden, titleOf, toLines, toTrace } from "../conformance/golden.ts";
import { createOwnSchemaCheck } from "../conformance/own-schema-check.ts";
import { play } from "../conformance/play.ts";
import { allowsPrivateEtc, needsPrivateEtc } from "../conformance/private-etc.ts";
import type { Task } from "../conformance/run.ts";
import { scenarios } from "../conformance/scenarios/index.ts";
import type { Side } from "../conformance/stage.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { lackOf, testUnless } from "../support/needs-program.ts";
import { HEDDLE } from "../support/start-server.ts";

export const tasks: readonly Task[] = scenarios.flatMap((scenario) =>
  scenario.transports.map((transport) => ({ scenario, transport })),
);

const [embedded, inProcesses] = partition(tasks, ({ scenario, transport }) =>
  canBeEmbedded(scenario, transport),
);
const [threads, others] = partition(embedded, ({ scenario }) => /^(?:thread|turn)/u.test(scenario.name));

export const processTasks = inProcesses;
/** In two parts, because a server in this process has one core. */
export const embeddedTasks = { threads, others };

export function playEmbedded(chosen: readonly Task[]): void {
  playScenarios("a server in this process", chosen, startEmbedded);
}

export function playScenarios(name: string, chosen: readonly Task[], start?: Side["start"]): void {
  describe(name, () => {
    // The traces are those of Linux, with the sandbox that it has.
    const lack = process.platform === "linux" ? lackOf("bwrap") : "needs Linux";
    const lackForEtc = lack ?? (allowsPrivateEtc() ? null : "needs unshare and the right to use it");
    const misfits = createOwnSchemaCheck();
    let golden: Golden;
    let homes: string;

    beforeAll(async () => {
      // Each server has a listener of its own that stops it when this process ends.
      process.setMaxListeners(chosen.length + 10);
      golden = await readGolden();
      homes = await makeHomesFolder();
    });
    afterAll(() => rm(homes, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 }));

    for (const { scenario, transport } of chosen) {
      const title = titleOf(scenario, transport);
      const body = async () => {
        const wanted = golden.lines.get(title);
        if (wanted === undefined) throw new Error(`there is no golden trace of it: ${RENEW}`);
        const side = { program: HEDDLE, homes, ...(start === undefined ? {} : { start }) };
        const { recording, normalised } = await play(scenario, transport, side);
        const lines = toLines(toTrace(normalised, scenario), golden.usual);
        expect(lines, `not what it did before; where that is meant: ${RENEW}`).toEqual(wanted);
        expect(misfits(recording), "what it sends does not fit its own schemas").toEqual([]);
      };
      testUnless(needsPrivateEtc(scenario.files) ? lackForEtc : lack, title, body, { concurrent: true });
    }
  });
}

function partition<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}
