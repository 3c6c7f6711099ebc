/** What stands where facts are read: that they are read, or why they cannot be. What was read before stays beside it. */
import type { Loaded } from "../state/loaded.ts";
import { Failure, Loading } from "./states.tsx";

interface LoadedStateProps {
  readonly loaded: Pick<Loaded<unknown>, "data" | "failure" | "reload">;
  readonly rows?: number;
}

export function LoadedState({ loaded: { data, failure, reload }, rows = 5 }: LoadedStateProps) {
  if (failure.value !== null) return <Failure message={failure.value} onRetry={() => void reload()} />;
  return data.value === null ? <Loading rows={rows} /> : null;
}
