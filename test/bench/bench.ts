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
};

/** How a client of the benchmark introduces itself. */
export const CLIENT = {
  clientInfo: { name: "bench", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};

/** An address for homes in which no model is asked. */
export const UNUSED_MODEL = "http://127.0.0.1:9";

export async function withHome<T>(bench: Bench, measure: (home: TempHome) => Promise<T>): Promise<T> {
  const home = await createTempHome({ under: bench.homes, config: modelConfig(UNUSED_MODEL) });
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
