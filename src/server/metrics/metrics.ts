import type { Metric } from "../../base/metrics/registry.ts";

export interface Metrics {
  /** The current values. Concurrent calls share one read. Never rejects. */
  read(): Promise<readonly Metric[]>;
  /** The current values in the text format of Prometheus. */
  text(): Promise<string>;
  close(): void;
}
