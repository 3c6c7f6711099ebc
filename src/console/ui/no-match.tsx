/** A list whose filters leave nothing. */
import { Empty } from "./states.tsx";

export function NoMatch({ title, all }: { title: string; all: string }) {
  return (
    <Empty icon="search" title={title}>
      <a class="btn" href={all}>
        Show all
      </a>
    </Empty>
  );
}
