/** Views that are loaded when they are first opened. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../base/errors.ts";
import type { View } from "../state/router.ts";
import { Failure, Loading } from "../ui/states.tsx";

type LaterView = Exclude<View, "inbox" | "threads">;

const VIEWS: Readonly<Record<LaterView, () => Promise<ComponentType>>> = {
  queue: async () => (await import("./queue.tsx")).Queue,
  hooks: async () => (await import("./hooks.tsx")).Hooks,
  decisions: async () => (await import("./decisions.tsx")).Decisions,
  usage: async () => (await import("./usage.tsx")).Usage,
  server: async () => (await import("./server.tsx")).ServerView,
};

export function Later({ view }: { view: View }) {
  const [loaded, setLoaded] = useState<{ view: View; View: ComponentType } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    setFailure(null);
    VIEWS[view as LaterView]().then(
      (found) => setLoaded({ view, View: found }),
      (error: unknown) => setFailure(messageOf(error)),
    );
  }, [view]);
  if (failure !== null) return <Failure message={failure} onRetry={() => location.reload()} />;
  if (loaded === null || loaded.view !== view) return <Loading />;
  return <loaded.View />;
}
