/** Trusts, untrusts, enables and disables hooks in `[hooks.state]` of config.toml, as the peer's clients do. */
import { AppError } from "../../base/errors.ts";
import type { ConfigEdit } from "../../protocol/generated/types.ts";
import type { HookView } from "../../runtime/workbench/view-hooks.ts";
import { UsageError } from "../command-line/command.ts";
import type { HookViews } from "./hook-view.ts";

/** Finds hooks by key, or by a part that only one key contains. Without words, `isDefault` selects them. */
export function chooseViews(
  views: readonly HookView[],
  words: readonly string[],
  isDefault: (view: HookView) => boolean,
): readonly HookView[] {
  if (words.length === 0) return views.filter(isDefault);
  return words.map((word) => {
    const exact = views.find(({ hook }) => hook.key === word);
    if (exact !== undefined) return exact;
    const [found, ...more] = views.filter(({ hook }) => hook.key.includes(word));
    if (found === undefined)
      throw new UsageError(`there is no hook '${word}': heddle hooks list shows their keys`);
    if (more.length > 0)
      throw new UsageError(`'${word}' stands for ${more.length + 1} hooks: use a whole key`);
    return found;
  });
}

export async function trustHooks(
  { config, pins }: HookViews,
  chosen: readonly HookView[],
  { isUnpinned }: { readonly isUnpinned: boolean },
): Promise<void> {
  const odd = chosen.flatMap(({ content }) => content.odd);
  if (odd.length > 0 && !isUnpinned) {
    throw new AppError(
      "hooks.odd",
      `${odd.join(", ")} cannot be pinned: it is not a regular file that can be read`,
    );
  }
  // The pins are written first, so that they exist when a reader sees the trust.
  if (
    !(await pins.renew(
      chosen.map(({ hook, content }) => ({ hook, content })),
      isUnpinned,
    ))
  ) {
    throw new AppError(
      "hooks.pins",
      "hook-pins.json of the home cannot be written: look whether it can be read",
    );
  }
  const own = chosen.filter(({ hook }) => !hook.isManaged);
  await write(
    config,
    own.map(({ hook }) => edit(hook.key, { trusted_hash: hook.currentHash })),
  );
}

export async function untrustHooks({ config, pins }: HookViews, chosen: readonly HookView[]): Promise<void> {
  const own = chosen.filter(({ hook }) => !hook.isManaged);
  await write(
    config,
    own.map(({ hook }) => ({
      keyPath: `hooks.state.${quoted(hook.key)}.trusted_hash`,
      value: null,
      mergeStrategy: "replace",
    })),
  );
  await pins.forget(own.map(({ hook }) => hook.key));
}

export async function switchHooks(
  { config }: HookViews,
  chosen: readonly HookView[],
  enabled: boolean,
): Promise<void> {
  await write(
    config,
    chosen.filter(({ hook }) => !hook.isManaged).map(({ hook }) => edit(hook.key, { enabled })),
  );
}

function edit(key: string, state: object): ConfigEdit {
  return { keyPath: "hooks.state", value: { [key]: state }, mergeStrategy: "upsert" };
}

function quoted(key: string): string {
  return `"${key.replace(/["\\]/g, "\\$&")}"`;
}

async function write(config: HookViews["config"], edits: ConfigEdit[]): Promise<void> {
  if (edits.length === 0) return;
  const written = await config.batchWrite({ edits, reloadUserConfig: true });
  if (!written.ok) throw new AppError("hooks.write", written.error.message);
}
