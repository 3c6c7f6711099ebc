import {
  ADAPTER_IDS,
  EVENT_NAMES,
  findManifest,
  LIFECYCLE_EVENTS,
  manifests,
} from "../../lifecycle/index.ts";
import {
  type Command,
  type CommandSpec,
  type ParsedArguments,
  parseArguments,
  renderHelp,
  UsageError,
} from "../command-line/arguments.ts";
import { globalOptions } from "../command-line/options.ts";
import { conformanceSpec, runConformance } from "../lifecycle/conformance.ts";
import { dispatchSpec, runDispatch } from "../lifecycle/dispatch.ts";
import { installSpec, runInstall, runUninstall, uninstallSpec } from "../lifecycle/install.ts";
import { receiptSpec, runReceipt } from "../lifecycle/receipts.ts";
import { INVALID, Refusal, writeReport } from "../lifecycle/refusal.ts";
import {
  negotiateSpec,
  print,
  readSpec,
  renderSpec,
  runNegotiate,
  runRead,
  runRender,
} from "../lifecycle/translate.ts";

const events: CommandSpec = {
  name: "heddle lifecycle events",
  summary: "Print the neutral events in the order of a session.",
  options: [{ name: "extensions", help: "Those of tools, permissions, agents and models as well" }],
  examples: [{ command: "heddle lifecycle events --extensions", says: "All that a program can be told of" }],
};

const manifest: CommandSpec = {
  name: "heddle lifecycle manifest",
  summary: `Print what a harness has: events, places for context, and what it can be told. Without one, of all: ${ADAPTER_IDS.join(", ")}.`,
  operands: "[ADAPTER]",
  options: [],
  examples: [{ command: "heddle lifecycle manifest gemini", says: "What Gemini CLI can do" }],
};

const subcommands: Readonly<
  Record<string, { spec: CommandSpec; run: (given: ParsedArguments) => Promise<number> | number }>
> = {
  events: {
    spec: events,
    run: (given) => print(given.flag("extensions") ? EVENT_NAMES : LIFECYCLE_EVENTS),
  },
  manifest: { spec: manifest, run: printManifest },
  render: { spec: renderSpec, run: runRender },
  read: { spec: readSpec, run: runRead },
  negotiate: { spec: negotiateSpec, run: runNegotiate },
  dispatch: { spec: dispatchSpec, run: runDispatch },
  receipt: { spec: receiptSpec, run: runReceipt },
  conformance: { spec: conformanceSpec, run: runConformance },
  install: { spec: installSpec, run: runInstall },
  uninstall: { spec: uninstallSpec, run: runUninstall },
};

export const lifecycle: Command = {
  spec: {
    name: "heddle lifecycle",
    summary:
      "Speak with every harness in one vocabulary: read what its hooks are told, render what it shall be told, and put programs into its hooks.",
    options: [...globalOptions],
    subcommands: Object.entries(subcommands).map(([name, { spec }]) => ({ name, summary: shortly(spec) })),
    examples: [...renderSpec.examples, ...installSpec.examples.slice(0, 1)],
  },
  async run(own) {
    const chosen = own.subcommand === null ? undefined : subcommands[own.subcommand];
    if (chosen === undefined) {
      process.stderr.write(renderHelp(lifecycle.spec));
      return 2;
    }
    try {
      const given = parseArguments(chosen.spec, own.rest);
      if (!given.wantsHelp) return await chosen.run(given);
      process.stdout.write(renderHelp(chosen.spec));
      return 0;
    } catch (error) {
      const refusal = error instanceof UsageError ? usage(error, chosen.spec) : error;
      if (!(refusal instanceof Refusal)) throw error;
      writeReport(refusal.kind, refusal.detail);
      return refusal.exitCode;
    }
  },
};

/** Its first sentence. */
function shortly({ summary }: CommandSpec): string {
  const [first = ""] = summary.split(/(?<=\.) |: /);
  return first.replace(/\.$/, "");
}

/** For programs, as every other refusal. */
function usage({ message }: UsageError, { name }: CommandSpec): Refusal {
  return new Refusal(INVALID, "usage", `${message}; see ${name} --help`);
}

function printManifest({ operands: [name, ...more] }: ParsedArguments): number {
  if (more.length > 0) throw new UsageError("name one adapter");
  if (name === undefined) return print(manifests());
  const found = findManifest(name);
  if (found === undefined)
    throw new UsageError(`there is no adapter '${name}': expected one of ${ADAPTER_IDS.join(", ")}`);
  return print(found);
}
