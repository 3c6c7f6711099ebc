import { Empty } from "../ui/states.tsx";

export function Queue() {
  return <Empty icon="queue" title="Queue" />;
}
