/** Which file a change is of, what became of it, and how many lines it has. */
import type { FileUpdateChange } from "../../protocol/generated/types.ts";
import { type Diff, parseDiff } from "../text/diff.ts";
import { Icon } from "../ui/icon.tsx";
import { VisibleText } from "../ui/visible-text.tsx";

export function parseChange({ diff, kind }: FileUpdateChange): Diff {
  return parseDiff(diff, kind.type === "add" ? "add" : kind.type === "delete" ? "del" : null);
}

export function DiffHead({ change: { path, kind }, diff }: { change: FileUpdateChange; diff: Diff }) {
  const moved = kind.type === "update" ? kind.move_path : null;
  return (
    <>
      <Icon name="file" />
      <code class="clip" dir="ltr">
        <VisibleText text={moved === null ? path : `${path} → ${moved}`} />
      </code>
      {kind.type === "add" && <span class="chip ok">new</span>}
      {kind.type === "delete" && <span class="chip bad">deleted</span>}
      <span class="fg-ok">+{diff.added}</span>
      <span class="fg-bad">−{diff.removed}</span>
    </>
  );
}
