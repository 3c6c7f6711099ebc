import { Empty } from "../ui/states.tsx";

export function ServerView() {
  return <Empty icon="server" title="Server" />;
}
