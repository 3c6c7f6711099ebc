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
import { conformanceCommand } from "../lifecycle/conformance.ts";
import { dispatchCommand } from "../lifecycle/dispatch.ts";
import { installCommand, uninstallCommand } from "../lifecycle/install.ts";
import type { LifecycleCommand } from "../lifecycle/lifecycle-command.ts";
import { INVALID, LifecycleFault, writeReport } from "../lifecycle/lifecycle-command.ts";
import { receiptCommand } from "../lifecycle/receipts.ts";
import { negotiateCommand, printJson, readInputCommand, renderCommand } from "../lifecycle/translate.ts";

const events: LifecycleCommand = {
  name: "events",
  summary: "Print the neutral events in the order of a session",
  options: [{ name: "extensions", help: "Those of tools, permissions, agents and models as well" }],
  examples: [
    { command: "heddle lifecycle events --extensions", description: "All events, including extensions" },
  ],
  run: (args) => printJson(args.flag("extensions") ? EVENT_NAMES : LIFECYCLE_EVENTS),
};

const manifest: LifecycleCommand = {
  name: "manifest",
  summary: "Print the capabilities of a harness: events, placements of context, and outputs",
  details: `Without one, of all: ${ADAPTER_IDS.join(", ")}.`,
  operands: "[ADAPTER]",
  options: [],
  examples: [{ command: "heddle lifecycle manifest gemini", description: "What Gemini CLI can do" }],
  run: printManifest,
};

const subcommands: readonly LifecycleCommand[] = [
  events,
  manifest,
  renderCommand,
  readInputCommand,
  negotiateCommand,
  dispatchCommand,
  receiptCommand,
  conformanceCommand,
  installCommand,
  uninstallCommand,
];

export const lifecycle: Command = {
  details: "One vocabulary for the hooks of all of them.",
  options: globalOptions,
  subcommands: subcommands.map(toEntry),
  examples: [...renderCommand.examples, ...installCommand.examples.slice(0, 1)],
};

/** Reports usage errors as one line of JSON too, because programs read the output. */
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
  if (name === undefined) return printJson(manifests());
  const found = findManifest(name);
  if (found === undefined)
    throw new UsageError(`there is no adapter '${name}': expected one of ${ADAPTER_IDS.join(", ")}`);
  return printJson(found);
}
