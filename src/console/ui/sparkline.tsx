/** The latest values as a small line. The number beside it says what it is. */
import { linePoints } from "../text/metric-history.ts";

const WIDTH = 72;
const HEIGHT = 18;

export function Sparkline({ points }: { points: readonly number[] }) {
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <polyline points={linePoints(points, WIDTH, HEIGHT)} />
    </svg>
  );
}
