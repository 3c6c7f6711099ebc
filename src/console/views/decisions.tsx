import { Empty } from "../ui/states.tsx";

export function Decisions() {
  return <Empty icon="shield" title="Policy" />;
}
