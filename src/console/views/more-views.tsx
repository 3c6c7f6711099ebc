/** On a phone the views that have no tab are reached from here. */
import { pathOf, type View } from "../state/router.ts";
import { VIEW_NAMES } from "../state/view-names.ts";
import { Icon } from "../ui/icon.tsx";

const VIEWS: readonly View[] = ["hooks", "decisions", "usage"];

export function MoreViews() {
  return (
    <nav class="more-views" aria-label="More views">
      {VIEWS.map((view) => (
        <a key={view} class="btn" href={pathOf(view)}>
          <Icon name={VIEW_NAMES[view].icon} />
          {VIEW_NAMES[view].name}
        </a>
      ))}
    </nav>
  );
}
