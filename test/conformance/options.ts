/** The command line of the conformance run. */
import { parseArgs } from "node:util";
import type { Transport } from "../support/start-server.ts";

export type Options = {
  readonly scenario: string | undefined;
  readonly transport: Transport | undefined;
  readonly show: boolean;
  readonly record: boolean;
  readonly self: boolean;
  readonly program: string | undefined;
  readonly golden: boolean;
  readonly docs: boolean;
  readonly list: boolean;
  readonly jobs: number;
};

export const USAGE = `npm run conformance -- [options]

  --scenario NAME   only scenarios whose name matches (\`*\` and \`**\` as in paths)
  --transport KIND  only stdio, ws or unix
  --show            print both recordings of every scenario played
  --record          keep both recordings of every scenario in .cache/recordings
  --self            play the peer on both sides: shows that the scenarios themselves are steady
  --program PATH    the command line to test instead of dist/cli.js
  --jobs N          scenarios played at a time (default 4)
  --golden          play Heddle alone and renew the golden traces of every scenario played
  --list            name the scenarios and stop
  --docs            write docs/compatibility.md from differences.json and stop`;

export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: "string" },
      transport: { type: "string" },
      show: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      self: { type: "boolean", default: false },
      program: { type: "string" },
      golden: { type: "boolean", default: false },
      docs: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      jobs: { type: "string", default: "4" },
    },
  });
  const { transport } = values;
  if (transport !== undefined && transport !== "stdio" && transport !== "ws" && transport !== "unix") {
    throw new Error(`unknown transport ${transport}`);
  }
  return {
    scenario: values.scenario,
    transport,
    show: values.show,
    record: values.record,
    self: values.self,
    program: values.program,
    golden: values.golden,
    docs: values.docs,
    list: values.list,
    jobs: Math.max(1, Number(values.jobs) || 4),
  };
}
