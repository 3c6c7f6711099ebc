import {
  ADAPTER_IDS,
  EVENT_NAMES,
  findManifest,
  LIFECYCLE_EVENTS,
  manifests,
} from "../../lifecycle/index.ts";
import {
  type Command,
  type CommandEntry,
  declareCommand,
  type ParsedArguments,
  UsageError,
} from "../command-line/command.ts";
import { globalOptions } from "../command-line/options.ts";
import { conformance } from "../lifecycle/conformance.ts";
import { dispatchEvents } from "../lifecycle/dispatch.ts";
import { install, uninstall } from "../lifecycle/install.ts";
import type { LifecycleCommand } from "../lifecycle/lifecycle-command.ts";
import { INVALID, LifecycleFault, writeReport } from "../lifecycle/lifecycle-fault.ts";
import { receipt } from "../lifecycle/receipts.ts";
import { negotiateNeeds, print, readEvent, renderResult } from "../lifecycle/translate.ts";

const events: LifecycleCommand = {
  name: "events",
  summary: "Print the neutral events in the order of a session",
  options: [{ name: "extensions", help: "Those of tools, permissions, agents and models as well" }],
  examples: [
    { command: "heddle lifecycle events --extensions", description: "All that a program can be told of" },
  ],
  run: (args) => print(args.flag("extensions") ? EVENT_NAMES : LIFECYCLE_EVENTS),
};

const manifest: LifecycleCommand = {
  name: "manifest",
  summary: "Print what a harness has: events, places for context, and what it can be told",
  details: `Without one, of all: ${ADAPTER_IDS.join(", ")}.`,
  operands: "[ADAPTER]",
  options: [],
  examples: [{ command: "heddle lifecycle manifest gemini", description: "What Gemini CLI can do" }],
  run: printManifest,
};

const subcommands: readonly LifecycleCommand[] = [
  events,
  manifest,
  renderResult,
  readEvent,
  negotiateNeeds,
  dispatchEvents,
  receipt,
  conformance,
  install,
  uninstall,
];

export const lifecycle: Command = {
  details: "One vocabulary for the hooks of all of them.",
  options: globalOptions,
  subcommands: subcommands.map(toEntry),
  examples: [...renderResult.examples, ...install.examples.slice(0, 1)],
};

/** Programs read what these say: also what is wrong with a command line is one line of JSON. */
function toEntry({ run, ...declared }: LifecycleCommand): CommandEntry {
  return declareCommand({
    ...declared,
    async run(args) {
      try {
        return await run(args);
      } catch (error) {
        if (!(error instanceof LifecycleFault)) throw error;
        writeReport(error.kind, error.detail);
        return error.exitCode;
      }
    },
    reportUsage({ message, tip }, name) {
      writeReport("usage", `${tip === null ? message : `${message}; ${tip}`}; see ${name} --help`);
      return INVALID;
    },
  });
}

function printManifest({ operands: [name] }: ParsedArguments): number {
  if (name === undefined) return print(manifests());
  const found = findManifest(name);
  if (found === undefined)
    throw new UsageError(`there is no adapter '${name}': expected one of ${ADAPTER_IDS.join(", ")}`);
  return print(found);
}
