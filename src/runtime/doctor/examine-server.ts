/**
 * Examines the set-up of a running server. The history and the pages of the database are left to
 * `heddle doctor`, because reading them takes as long as they are large.
 */
import { messageOf } from "../../base/errors.ts";
import type { Store } from "../../store/store.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";
import type { Hooks } from "../setup/hooks.ts";
import { viewHooks } from "../workbench/view-hooks.ts";
import { examineProvider } from "./examine-provider.ts";
import {
  examineConfig,
  examineHomeFolder,
  examineHooks,
  examineProgram,
  examineSandbox,
} from "./examine-setup.ts";
import type { Finding } from "./finding.ts";

export interface ServerExamination {
  readonly config: ConfigSource;
  readonly host: Pick<Host, "env" | "cwd" | "clock">;
  readonly hooks: () => Promise<Hooks>;
  readonly store: () => Promise<Pick<Store, "ping">>;
}

export interface Examined {
  readonly findings: readonly Finding[];
  /** False: the time was over before all was examined. */
  readonly isComplete: boolean;
}

export const MAX_EXAMINATION_MS = 15_000;

export async function examineServer(options: ServerExamination): Promise<Examined> {
  const { clock } = options.host;
  const findings: Finding[] = [];
  let isOver = false;
  let cancel = (): void => {};
  const over = new Promise<boolean>((resolve) => {
    cancel = clock.after(MAX_EXAMINATION_MS, () => resolve(false), { keepsAlive: false });
  });
  const examine = async (): Promise<boolean> => {
    for await (const finding of examineAll(options)) {
      if (isOver) break;
      findings.push(finding);
    }
    return true;
  };
  try {
    const isComplete = await Promise.race([examine(), over]);
    isOver = true;
    return { findings: [...findings], isComplete };
  } finally {
    cancel();
  }
}

async function* examineAll({ config, host, hooks, store }: ServerExamination): AsyncGenerator<Finding> {
  yield examineProgram();
  yield examineHomeFolder(config.home);
  const read = await config.get();
  yield* examineConfig(read);
  yield* examineHooks(async () => viewHooks(await hooks(), host.cwd));
  yield await examineStore(store);
  yield await examineSandbox(host.env);
  yield await examineProvider(read, host, { online: false });
}

async function examineStore(store: ServerExamination["store"]): Promise<Finding> {
  const subject = "database";
  try {
    await (await store()).ping();
    return { subject, verdict: "ok", message: "it responds" };
  } catch (error) {
    const advice = "Run heddle doctor, which looks at the whole of it.";
    return { subject, verdict: "problem", message: messageOf(error), advice };
  }
}
