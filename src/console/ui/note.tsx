/** Something to know about what is shown beside it. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

const ICONS = { bad: "x", warn: "warn" } as const satisfies Readonly<Record<string, IconName>>;

interface NoteProps {
  readonly tone: keyof typeof ICONS;
  /** Read aloud when it appears. */
  readonly isAlert?: boolean;
  readonly children: ComponentChildren;
}

export function Note({ tone, isAlert = false, children }: NoteProps) {
  return (
    <div class={`note ${tone}`} role={isAlert ? "alert" : undefined}>
      <Icon name={ICONS[tone]} />
      <span class="wraps grow" dir="auto">
        {children}
      </span>
    </div>
  );
}
