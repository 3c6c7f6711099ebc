/** An entry of a turn: its icon, and its content beside it. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../ui/icon.tsx";

interface LineProps {
  readonly icon: IconName;
  readonly children: ComponentChildren;
  readonly style?: string;
  readonly tone?: string;
}

export function Line({ icon, children, style = "", tone = "" }: LineProps) {
  return (
    <div class={`it ${style}`}>
      <Icon name={icon} tone={tone} />
      <div class="body">{children}</div>
    </div>
  );
}
