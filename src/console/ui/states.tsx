/** What a view shows without content: nothing there, loading, failed. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

const LATER_MS = 200;

/** Nothing for a moment, then bars in the shape of a list. */
export function Loading({ rows = 5 }: { rows?: number }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div class="skeletons" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class="skel" style={{ width: `${90 - ((index * 17) % 50)}%` }} />
      ))}
    </div>
  );
}

export function Failure({ message, onRetry }: { message: string; onRetry?: () => void }) {
  return (
    <div class="note bad" role="alert">
      <Icon name="x" />
      <span class="grow">{message}</span>
      {onRetry !== undefined && (
        <button class="btn" type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
