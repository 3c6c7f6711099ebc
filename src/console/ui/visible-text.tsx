/** Text that somebody decides about, with the characters made visible that cannot be seen. */
import { hasInvisible, toVisible } from "../text/visible.ts";
import { Icon } from "./icon.tsx";

export function VisibleText({ text }: { text: string }) {
  return (
    <>
      {toVisible(text).map(({ text: part, isMark }, index) =>
        isMark ? (
          <mark key={index} class="invisible">
            {part}
          </mark>
        ) : (
          part
        ),
      )}
    </>
  );
}

export function InvisibleWarning({ text }: { text: string }) {
  if (!hasInvisible(text)) return null;
  return (
    <div class="note warn" role="note">
      <Icon name="warn" />
      It contains characters that cannot be seen. They are marked: read it with care.
    </div>
  );
}
