/** Reads the metrics of a server as Prometheus does, with a third-party parser. */
import parse from "parse-prometheus-text-format";

export interface Scraped {
  readonly text: string;
  readonly names: readonly string[];
  /** The value of a counter or gauge; undefined if there is no such series. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
  /** The number of observations of a histogram. */
  count(name: string): number;
  sum(name: string): number;
  /** All values of all labels. */
  readonly labelValues: readonly string[];
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: string;
  readonly count?: string;
  readonly sum?: string;
}

export function readMetrics(text: string): Scraped {
  const families = new Map(parse(text).map(({ name, metrics }) => [name, metrics as readonly Sample[]]));
  const samples = (name: string): readonly Sample[] => families.get(name) ?? [];
  return {
    text,
    names: [...families.keys()],
    value(name, labels = {}) {
      const found = samples(name).find(
        (sample) => JSON.stringify(sorted(sample.labels)) === JSON.stringify(sorted(labels)),
      );
      return found?.value === undefined ? undefined : Number(found.value);
    },
    count: (name) => Number(samples(name)[0]?.count),
    sum: (name) => Number(samples(name)[0]?.sum),
    labelValues: [...families.values()].flat().flatMap(({ labels = {} }) => Object.values(labels)),
  };
}

function sorted(labels: Readonly<Record<string, string>> = {}): (readonly [string, string])[] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}

export async function scrape(
  address: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Scraped> {
  const response = await fetch(`http://${address}/metrics`, { headers });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return readMetrics(await response.text());
}
