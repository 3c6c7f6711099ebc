/** Parts of the page that are loaded when they are first opened. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../base/errors.ts";
import type { View } from "../state/router.ts";
import { isKeyHelpOpen } from "../ui/palette-state.ts";
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
  const { part: Shown, failure } = useLatePart(() => VIEWS[view as LaterView](), view);
  if (failure !== null) return <Failure message={failure} onRetry={() => location.reload()} />;
  return Shown === null ? <Loading /> : <Shown />;
}

export function LateKeyHelp() {
  return isKeyHelpOpen.value ? <OpenKeyHelp /> : null;
}

function OpenKeyHelp() {
  const { part: Shown } = useLatePart(async () => (await import("./key-help.tsx")).KeyHelp, "keys");
  const close = (): void => {
    isKeyHelpOpen.value = false;
  };
  return Shown === null ? null : <Shown onClose={close} />;
}

interface LatePart<P> {
  /** Null until it is there. */
  readonly part: ComponentType<P> | null;
  readonly failure: string | null;
}

function useLatePart<P = object>(load: () => Promise<ComponentType<P>>, name: string): LatePart<P> {
  const [loaded, setLoaded] = useState<LatePart<P> & { readonly name: string }>();
  useEffect(() => {
    load().then(
      (part) => setLoaded({ name, part, failure: null }),
      (error: unknown) => setLoaded({ name, part: null, failure: messageOf(error) }),
    );
  }, [name]);
  return loaded?.name === name ? loaded : { part: null, failure: null };
}
