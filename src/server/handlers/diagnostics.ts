import type { Handlers } from "../connections/handler.ts";

export interface DiagnosticsOptions {
  /** Counts of things that live in the server, by name. */
  readonly gauges: () => Readonly<Record<string, number>>;
}

export function createDiagnosticsHandlers({ gauges }: DiagnosticsOptions): Handlers<"server/diagnostics"> {
  return {
    "server/diagnostics": () => ({
      process: {
        id: process.pid,
        residentMemoryBytes: process.memoryUsage.rss(),
        physicalFootprintBytes: null,
      },
      gauges: Object.entries(gauges()).map(([name, value]) => ({ name, value })),
    }),
  };
}
