import { Empty } from "../ui/states.tsx";

export function Hooks() {
  return <Empty icon="hook" title="Hooks" />;
}
