/** On a phone the views that have no tab are reached from here. */
import { pathOf, type View } from "../state/router.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

const VIEWS: readonly (readonly [View, string, IconName])[] = [
  ["hooks", "Hooks", "hook"],
  ["decisions", "Policy and decisions", "shield"],
  ["usage", "Usage", "chart"],
];

export function MoreViews() {
  return (
    <nav class="more-views" aria-label="More views">
      {VIEWS.map(([view, name, icon]) => (
        <a key={view} class="btn" href={pathOf(view)}>
          <Icon name={icon} />
          {name}
        </a>
      ))}
    </nav>
  );
}
