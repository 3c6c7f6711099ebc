/** What an attack is made from: servers on homes of their own, a model that says what it is told to, random variants. */
import { readFileSync } from "node:fs";
import { modelConfig } from "../support/model-config.ts";
import type { Random } from "../support/random.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { type Program, startServer, type Transport } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import { Violation } from "../support/violation.ts";
import { createScene, type Scene } from "./scene.ts";

export type SceneOptions = {
  readonly transport?: Transport;
  readonly listen?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Keys at the top of config.toml, and tables behind those of the model. */
  readonly root?: string;
  readonly tables?: string;
  /** What to start instead of the program under attack itself. */
  readonly program?: Program;
  /** A home that is prepared already, and outlives the scene. */
  readonly home?: TempHome;
  /** Where in it the server's own home is, and the path that it is told; `home` unless given. */
  readonly own?: { readonly folder: string; readonly named: string };
};

export type AttackGround = {
  readonly random: Random;
  readonly program: Program;
  /** A home with nothing in it, removed with the ground. */
  home(): Promise<TempHome>;
  /** A server on a home, with a scripted model, and a client that has introduced itself. */
  open(options?: SceneOptions): Promise<Scene>;
  /** To be called with what else must be ended when the attack is over. */
  onEnd(end: () => unknown): void;
  /** Ends the attack: the promise was broken, and this shows it. */
  breach(message: string, evidence: unknown): never;
  close(): Promise<void>;
};

export function openAttackGround(random: Random, program: Program): AttackGround {
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
    async open({ root = "", tables = "", own, ...options }: SceneOptions = {}) {
      const home = options.home ?? (await makeHome());
      const model = await openScriptedModel();
      onEnd(() => model.close());
      await home.write(`${own?.folder ?? "home"}/config.toml`, modelConfig(model.url, { root, tables }));
      const env = { ...options.env, ...(own === undefined ? {} : { CODEX_HOME: own.named }) };
      const server = await startServer({ program, ...options, env, home });
      onEnd(() => server.stop());
      return await createScene({ server, model });
    },
    breach(message, evidence) {
      throw new Violation(message, evidence);
    },
    async close() {
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}

/** The memory that a process holds, in MiB. */
export function residentMiB(pid: number): number {
  const [, kib = "0"] = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}
