import { Empty } from "../ui/states.tsx";

export function Usage() {
  return <Empty icon="chart" title="Usage" />;
}
