import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { modelConfig } from "../support/model-config.ts";
import type { Program } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

/** What is measured. */
export type Side = {
  readonly program: Program;
  /** Where homes are made. */
  readonly homes: string;
};

/** What a side needs in order to be measured beside another. */
export type Bench = Side & {
  /** A home on which the server has run before. */
  readonly usedHome: TempHome;
  /** How long a page is streamed to for the line about its heap. */
  readonly browserMinutes?: number;
};

/** How a client of the benchmark introduces itself. */
export const CLIENT = {
  clientInfo: { name: "bench", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};

/** An address for homes in which no model is asked. */
export const UNUSED_MODEL = "http://127.0.0.1:9";

/** A file of this age is not read again for fear of a change within the resolution of its timestamp. */
const CONFIG_AGE_S = 3_600;

/** A home whose configuration is as old as those of users, who do not edit it right before a turn. */
export async function createBenchHome({ homes }: Pick<Side, "homes">, config: string): Promise<TempHome> {
  const home = await createTempHome({ under: homes, config });
  const at = Date.now() / 1000 - CONFIG_AGE_S;
  await utimes(join(home.home, "config.toml"), at, at);
  return home;
}

export async function withHome<T>(bench: Bench, measure: (home: TempHome) => Promise<T>): Promise<T> {
  const home = await createBenchHome(bench, modelConfig(UNUSED_MODEL));
  try {
    return await measure(home);
  } finally {
    await home.remove();
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
