import type { Metric } from "../../base/metrics/registry.ts";

/** The metrics of a server. */
export interface Metrics {
  /** As they are now. Whoever asks while somebody else is answered gets the same answer. Never rejects. */
  read(): Promise<readonly Metric[]>;
  /** The same as text, in the format of Prometheus. */
  text(): Promise<string>;
  close(): void;
}
