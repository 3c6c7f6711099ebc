/** The command of a hook and the files that it names, as a person reads them before trusting it. */
import { useEffect, useState } from "preact/hooks";
import type { Client } from "../../client/browser.ts";
import type { HookMetadata } from "../../protocol/generated/types.ts";
import { readScripts, type ScriptFile } from "../state/hooks.ts";
import { missingScope } from "../state/rights.ts";
import { client } from "../state/server.ts";
import { runsOf } from "../text/describe-hook.ts";
import { Icon } from "../ui/icon.tsx";
import { InvisibleWarning, VisibleText } from "../ui/visible-text.tsx";

export interface Scripted {
  /** Null before they were read. */
  readonly files: readonly ScriptFile[] | null;
  /** Reads the files again. If one differs from what was shown, it is shown, and this fails. */
  assertUnchanged(client: Client): Promise<void>;
}

export function useScripts(hook: HookMetadata, cwd: string): Scripted {
  const [files, setFiles] = useState<readonly ScriptFile[] | null>(null);
  const lack = missingScope("fs/readFile");
  useEffect(() => {
    const current = client.peek();
    if (current === null || lack !== null) return;
    let isGone = false;
    void readScripts(current, hook, cwd).then((found) => {
      if (!isGone) setFiles(found);
    });
    return () => {
      isGone = true;
    };
  }, [hook.currentHash, cwd, lack]);
  return {
    files,
    async assertUnchanged(current) {
      const found = await readScripts(current, hook, cwd);
      if (JSON.stringify(found) === JSON.stringify(files)) return;
      setFiles(found);
      throw new Error("A file of the hook was changed after it was shown. Read it again.");
    },
  };
}

export function Scripts({ hook, files }: { hook: HookMetadata; files: Scripted["files"] }) {
  const runs = runsOf(hook);
  const lack = missingScope("fs/readFile");
  return (
    <>
      <InvisibleWarning text={runs} />
      <pre class="cmd" dir="ltr" tabIndex={0} aria-label="What it runs">
        <VisibleText text={runs} />
      </pre>
      {files?.map((file) => (
        <Script key={file.path} file={file} />
      ))}
      {lack !== null && hook.handlerType === "command" && (
        <p class="small dim">The files that the command names are not shown. {lack}</p>
      )}
    </>
  );
}

function Script({ file: { path, text, isCut } }: { file: ScriptFile }) {
  if (text === null) return null;
  return (
    <div class="box">
      <div class="boxh">
        <Icon name="file" />
        <code class="wraps" dir="ltr">
          <VisibleText text={path} />
        </code>
      </div>
      <InvisibleWarning text={text} />
      <pre class="out" dir="ltr" tabIndex={0} role="region" aria-label={`Content of ${path}`}>
        <VisibleText text={text} />
      </pre>
      {isCut && <div class="boxf">The file is longer than what is shown.</div>}
    </div>
  );
}
