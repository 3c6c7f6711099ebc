/**
 * Markdown as elements: the lexer's tokens are drawn one by one, and no text is ever parsed as HTML. What the lexer cannot
 * read, or what is too long for it, is shown as it is.
 */
import { lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { useEffect, useRef, useState } from "preact/hooks";
import { Code } from "./code.tsx";
import { safeLink } from "./safe-link.ts";
import { withBidiMarks } from "./visible.ts";

/** Longer texts are shown as they are. */
const MAX_LENGTH = 400_000;
const MAX_DEPTH = 40;
/** While a text grows, it is read again at most this often. */
const REREAD_MS = 100;
const LONG = 4096;

export function Markdown({ text, isOpen = false }: { text: string; isOpen?: boolean }) {
  const shown = useThrottled(text, isOpen && text.length > LONG ? REREAD_MS : 0);
  const source = withBidiMarks(shown);
  const blocks = readBlocks(source);
  if (blocks === null) return <div class="md plain">{source}</div>;
  return (
    <div class="md" dir="auto">
      {blocks.map((token, index) => (
        <Block key={index} raw={token.raw} token={token} />
      ))}
    </div>
  );
}

function readBlocks(text: string): Token[] | null {
  if (text.length > MAX_LENGTH) return null;
  try {
    return lexer(text, { gfm: true });
  } catch {
    // Thousands of nested quotes exceed the stack of the lexer.
    return null;
  }
}

/** The latest value, but changed at most once in the given time. */
function useThrottled(value: string, milliseconds: number): string {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  latest.current = value;
  useEffect(() => {
    if (milliseconds === 0 || timer.current !== null) return;
    timer.current = setTimeout(() => {
      timer.current = null;
      setShown(latest.current);
    }, milliseconds);
  }, [value, milliseconds]);
  useEffect(() => () => void (timer.current !== null && clearTimeout(timer.current)), []);
  return milliseconds === 0 ? value : shown;
}

/** A finished block is not drawn again: its source says whether it has changed. */
const Block = memo(
  ({ token }: { raw: string; token: Token }) => <>{drawBlock(token, 0)}</>,
  (before, after) => before.raw === after.raw,
);

function drawBlock(token: Token, depth: number): ComponentChildren {
  if (depth > MAX_DEPTH) return token.raw;
  switch (token.type) {
    case "space":
    case "def":
    // The list item draws it.
    case "checkbox":
      return null;
    case "heading":
      return drawHeading(token as Tokens.Heading, depth);
    case "paragraph":
      return <p>{drawInline((token as Tokens.Paragraph).tokens, depth + 1)}</p>;
    case "text":
      return drawText(token as Tokens.Text, depth);
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return <Code text={text} language={lang ?? null} />;
    }
    case "blockquote":
      return <blockquote>{drawBlocks((token as Tokens.Blockquote).tokens, depth + 1)}</blockquote>;
    case "list":
      return drawList(token as Tokens.List, depth);
    case "table":
      return drawTable(token as Tokens.Table, depth);
    case "hr":
      return <hr />;
    default:
      return <p>{token.raw}</p>;
  }
}

const drawBlocks = (tokens: readonly Token[], depth: number): ComponentChildren =>
  tokens.map((token) => drawBlock(token, depth));

/** Headings of a message are below those of the page. */
function drawHeading({ depth: level, tokens }: Tokens.Heading, depth: number): ComponentChildren {
  const Tag = level <= 2 ? "h4" : level <= 4 ? "h5" : "h6";
  return <Tag>{drawInline(tokens, depth + 1)}</Tag>;
}

function drawText({ tokens, text }: Tokens.Text, depth: number): ComponentChildren {
  return tokens === undefined ? text : drawInline(tokens, depth + 1);
}

function drawList({ ordered, start, items }: Tokens.List, depth: number): ComponentChildren {
  const entries = items.map((item, index) => (
    <li key={index} class={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="Task" />}
      {drawBlocks(item.tokens, depth + 1)}
    </li>
  ));
  if (!ordered) return <ul>{entries}</ul>;
  return <ol start={typeof start === "number" ? start : 1}>{entries}</ol>;
}

function drawTable({ header, rows }: Tokens.Table, depth: number): ComponentChildren {
  const cells = (row: readonly Tokens.TableCell[], Tag: "th" | "td") =>
    row.map((cell, index) => <Tag key={index}>{drawInline(cell.tokens, depth + 1)}</Tag>);
  return (
    <div class="tablewrap" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>{cells(header, "th")}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function drawInline(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  return (tokens ?? []).map((token) => drawSpan(token, depth));
}

function drawSpan(token: Token, depth: number): ComponentChildren {
  if (depth > MAX_DEPTH) return token.raw;
  switch (token.type) {
    case "strong":
      return <strong>{drawInline((token as Tokens.Strong).tokens, depth + 1)}</strong>;
    case "em":
      return <em>{drawInline((token as Tokens.Em).tokens, depth + 1)}</em>;
    case "del":
      return <del>{drawInline((token as Tokens.Del).tokens, depth + 1)}</del>;
    case "codespan":
      return <code dir="ltr">{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "escape":
      return (token as Tokens.Escape).text;
    case "link": {
      const { href, tokens } = token as Tokens.Link;
      return <Link href={href}>{drawInline(tokens, depth + 1)}</Link>;
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      return <Link href={href}>{text === "" ? "Image" : text}</Link>;
    }
    case "text":
      return drawText(token as Tokens.Text, depth);
    default:
      return token.raw;
  }
}

/** A link that leads elsewhere than its text says shows where. */
function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const link = safeLink(href);
  if (link === null) return <>{children}</>;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer">
      {children}
      <span class="dimmer small"> ({link.host})</span>
    </a>
  );
}
