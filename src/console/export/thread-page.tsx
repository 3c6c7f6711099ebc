/**
 * A thread as one page without a program: it asks no other host for anything, and its policy would not let it. Everything
 * that models, commands and users wrote is text of elements, drawn by the same parts as in the console.
 */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Thread, TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { LoadedColours } from "../text/code.tsx";
import { highlight } from "../text/highlight.ts";
import { VisibleText } from "../ui/visible-text.tsx";
import type { PageStyle, PageTurn, ThreadPage, ThreadPageModule } from "./page-format.ts";
import { Time, tokensText } from "./page-words.tsx";
import { TurnSection } from "./turn-section.tsx";

export const createThreadPage: ThreadPageModule["createThreadPage"] = (style: PageStyle): ThreadPage => {
  let turns = 0;
  return {
    head: (thread, tokens) => toPageBegin(thread, style) + toHtml(<Header thread={thread} tokens={tokens} />),
    turn(turn: PageTurn) {
      turns += 1;
      return `\n${toHtml(<TurnSection {...turn} number={turns} />)}`;
    },
    end: () => `\n${toHtml(<Footer turns={turns} />)}\n</main>\n</body>\n</html>\n`,
  };
};

const toHtml = (children: ComponentChildren): string =>
  renderToString(<LoadedColours.Provider value={highlight}>{children}</LoadedColours.Provider>);

const titleOf = ({ name, preview }: Thread): string =>
  (name ?? preview).replaceAll(/\s+/gu, " ").trim() || "A thread";

/** The elements that stay open until the last turn is written. */
function toPageBegin(thread: Thread, { css, sha256 }: PageStyle): string {
  const policy = `default-src 'none'; style-src 'sha256-${sha256}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const head = renderToString(
    <>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content={policy} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <title>{titleOf(thread)}</title>
    </>,
  );
  // The style is ours, and its hash counts for exactly these characters.
  return `<!doctype html>\n<html lang="en">\n<head>\n${head}\n<style>${css}</style>\n</head>\n<body>\n<main class="thread page">\n`;
}

function Header({ thread, tokens }: { thread: Thread; tokens: TokenUsageBreakdown | null }) {
  const { id, cwd, model, modelProvider, gitInfo, createdAt, updatedAt, owner = null } = thread;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ["Folder", <VisibleText key="cwd" text={cwd} />],
    ["Branch", gitInfo?.branch ?? null],
    ["Model", model === null ? modelProvider : `${model} (${modelProvider})`],
    ["Owner", owner],
    ["Begun", <Time key="begun" seconds={createdAt} />],
    ["Changed", <Time key="changed" seconds={updatedAt} />],
    ["Tokens", tokens === null ? null : tokensText(tokens)],
    ["Thread", <code key="id">{id}</code>],
  ];
  return (
    <header>
      <h1>
        <bdi>
          <VisibleText text={titleOf(thread)} />
        </bdi>
      </h1>
      <dl class="kv">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="wraps">{value}</dd>
            </div>
          ),
        )}
      </dl>
    </header>
  );
}

function Footer({ turns }: { turns: number }) {
  return (
    <footer class="small dimmer">
      {turns === 0 && <p>Nothing has been said yet.</p>}
      <p>
        Exported by Heddle. Secrets that were recognised are redacted, which is no promise that there are no
        others: read it before you share it.
      </p>
    </footer>
  );
}
