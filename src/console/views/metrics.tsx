/** Each metric with its value, and what it did since the view was opened. */
import { metrics } from "../state/server-status.ts";
import type { MetricHistory } from "../text/metric-history.ts";
import { countText } from "../text/time.ts";
import { Card, Table } from "../ui/card.tsx";
import { Sparkline } from "../ui/sparkline.tsx";

const COLUMNS = [{ name: "Metric" }, { name: "Now", isNumber: true }, { name: "Since this view was opened" }];

export function Metrics() {
  const shown = metrics.value.filter(({ name }) => !isConstant(name));
  if (shown.length === 0) return null;
  return (
    <Card title="Metrics" aside={<span class="small dimmer">counted since the first look at them</span>}>
      <Table label="Metrics" columns={COLUMNS}>
        {shown.map((series) => (
          <MetricLine key={series.name} series={series} />
        ))}
      </Table>
    </Card>
  );
}

/** Their values are those of the head of the view. */
const isConstant = (name: string): boolean => /_info$|_start_time_seconds$/u.test(name);

function MetricLine({ series: { name, help, kind, latest, points } }: { series: MetricHistory }) {
  return (
    <tr>
      <td data-label="Metric">
        {help}
        <span class="sub mono wraps" dir="ltr">
          {name}
        </span>
      </td>
      <td data-label="Now" class="num">
        {numberText(latest)}
      </td>
      <td data-label="Since it was opened">
        <div class="row">
          <Sparkline points={points} />
          {kind !== "gauge" && <span class="small dimmer">+{countText(sum(points))}</span>}
        </div>
      </td>
    </tr>
  );
}

const sum = (points: readonly number[]): number => points.reduce((total, point) => total + point, 0);
const numberText = (value: number): string =>
  Number.isInteger(value)
    ? countText(value)
    : value < 1000
      ? value.toPrecision(3)
      : countText(Math.round(value));
