/** Tokens per day as stacked bars, and the same numbers as a table. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { UsageFacts } from "../state/usage.ts";
import { countText } from "../text/time.ts";
import { type Chart, dayText, layoutBars } from "../text/usage-chart.ts";
import { Card, Table } from "../ui/card.tsx";

const HEIGHT = 150;
const LABELS = 24;
const INSET = 44;
const FIRST_WIDTH = 960;

export function UsageChart({ usage: { byDay, days } }: { usage: UsageFacts }) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry?.contentRect.width ?? 0)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const chart = layoutBars(byDay, days, { width, height: HEIGHT, inset: INSET });
  return (
    <Card
      title="Tokens per day"
      aside={
        <>
          <span class="grow" />
          <div class="legend">
            {chart.series.map((name, index) => (
              <span key={name}>
                <i class={`f${index + 1}`} />
                <bdi>{name}</bdi>
              </span>
            ))}
          </div>
        </>
      }
    >
      <div class="in">
        <div ref={frame}>
          <Bars chart={chart} width={width} />
        </div>
        <Numbers chart={chart} />
      </div>
    </Card>
  );
}

function Bars({ chart: { bars, ticks, series }, width }: { chart: Chart; width: number }) {
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${width} ${HEIGHT + LABELS}`}
      width={width}
      height={HEIGHT + LABELS}
      role="img"
      aria-label={describeBars(bars)}
    >
      {ticks.map(({ value, y }) => (
        <g key={value}>
          <line x1={INSET - 4} x2={width} y1={y - 0.5} y2={y - 0.5} />
          <text x={INSET - 10} y={Math.max(10, y + 3)} text-anchor="end">
            {countText(value)}
          </text>
        </g>
      ))}
      {bars.map((bar) => (
        <g key={bar.day}>
          {bar.parts.map((part) => (
            <rect
              key={part.series}
              class={`f${part.series + 1}`}
              x={bar.x}
              y={part.y}
              width={bar.width}
              height={Math.max(0.5, part.height - (bar.parts.length > 1 ? 1 : 0))}
            >
              <title>{`${dayText(bar.day)}, ${series[part.series]}: ${countText(part.tokens)}`}</title>
            </rect>
          ))}
          {bar.hasLabel && (
            <text x={Math.min(width - 20, bar.x + bar.width / 2)} y={HEIGHT + 18} text-anchor="middle">
              {dayText(bar.day)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

function describeBars(bars: Chart["bars"]): string {
  const [first, last] = [bars[0], bars.at(-1)];
  const highest = bars.toSorted((one, other) => other.total - one.total)[0];
  if (first === undefined || last === undefined || highest === undefined) return "Tokens per day";
  return `Tokens per day from ${dayText(first.day)} to ${dayText(last.day)}; most on ${dayText(highest.day)} with ${countText(highest.total)}. The table below has the numbers.`;
}

function Numbers({ chart: { bars, series } }: { chart: Chart }) {
  const columns = [{ name: "Day" }, ...[...series, "Total"].map((name) => ({ name, isNumber: true }))];
  return (
    <details class="numbers">
      <summary>Show the numbers</summary>
      <Table label="Tokens per day" columns={columns}>
        {bars
          .filter(({ total }) => total > 0)
          .map(({ day, parts, total }) => (
            <tr key={day}>
              <td data-label="Day">{dayText(day)}</td>
              {series.map((name, at) => (
                <td key={name} data-label={name} class="num">
                  {countText(parts.find((part) => part.series === at)?.tokens ?? 0)}
                </td>
              ))}
              <td data-label="Total" class="num">
                {countText(total)}
              </td>
            </tr>
          ))}
      </Table>
    </details>
  );
}
