/** A state as a word with a colour, and an icon where there is one. */
import { Icon, type IconName } from "./icon.tsx";

export interface ChipProps {
  readonly words: string;
  readonly tone?: "" | "ok" | "warn" | "bad" | "run" | "hook";
  readonly icon?: IconName | null;
}

export function Chip({ words, tone = "", icon = null }: ChipProps) {
  return (
    <span class={`chip ${tone}`}>
      {icon !== null && <Icon name={icon} />}
      <bdi>{words}</bdi>
    </span>
  );
}
