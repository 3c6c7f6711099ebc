/** The harness of an attack: servers on temporary homes, a scripted model, random variants. */
import { readFileSync } from "node:fs";
import { modelConfig } from "../support/model-config.ts";
import type { Random } from "../support/random.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { type Program, type StartOptions, startServer, type Transport } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import { Violation } from "../support/violation.ts";
import { type AttackedServer, createAttackedServer } from "./attacked-server.ts";

export type AttackedServerOptions = {
  readonly subcommand?: NonNullable<StartOptions["subcommand"]>;
  readonly transport?: Transport;
  readonly listen?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Top-level keys of config.toml, and tables after those of the model. */
  readonly root?: string;
  readonly tables?: string;
  /** The program to start; by default, the one under attack. */
  readonly program?: Program;
  /** An existing home, which is not removed with the server. */
  readonly home?: TempHome;
  /** The folder of the server's home in it, and the path that the server receives; `home` by default. */
  readonly own?: { readonly folder: string; readonly named: string };
};

export type AttackHarness = {
  readonly random: Random;
  readonly program: Program;
  /** An empty home, removed with the harness. */
  home(): Promise<TempHome>;
  /** A server on a home, with a scripted model and an initialized client. */
  open(options?: AttackedServerOptions): Promise<AttackedServer>;
  /** Registers a cleanup for the end of the attack. */
  onEnd(end: () => unknown): void;
  /** Ends the attack: the promise was broken, with the evidence. */
  breach(message: string, evidence: unknown): never;
  close(): Promise<void>;
};

export function openAttackHarness(random: Random, program: Program): AttackHarness {
  const ends: (() => unknown)[] = [];
  const onEnd = (end: () => unknown) => void ends.push(end);

  async function makeHome(): Promise<TempHome> {
    const home = await createTempHome();
    onEnd(() => home.remove());
    return home;
  }

  return {
    random,
    program,
    home: makeHome,
    onEnd,
    async open({ root = "", tables = "", own, ...options }: AttackedServerOptions = {}) {
      const home = options.home ?? (await makeHome());
      const model = await openScriptedModel();
      onEnd(() => model.close());
      await home.write(`${own?.folder ?? "home"}/config.toml`, modelConfig(model.url, { root, tables }));
      const env = { ...options.env, ...(own === undefined ? {} : { CODEX_HOME: own.named }) };
      const server = await startServer({ program, ...options, env, home });
      onEnd(() => server.stop());
      return await createAttackedServer({ server, model });
    },
    breach(message, evidence) {
      throw new Violation(message, evidence);
    },
    async close() {
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}

/** The resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const [, kib = "0"] = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}
