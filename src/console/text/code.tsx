/** Code with colours, which are loaded when the first of it is shown. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { CodePiece, highlight as Highlight } from "./highlight.ts";
import { StyledPieces } from "./styled-pieces.tsx";

/** Longer code is shown without colours: a hostile text can take seconds. */
const MAX_COLOURED = 60_000;

export function Code({ text, language }: { text: string; language: string | null }) {
  return (
    <pre
      class="code"
      tabIndex={0}
      role="region"
      aria-label={`Code${language ? ` in ${language}` : ""}`}
      dir="ltr"
    >
      <Coloured text={text} language={language} />
    </pre>
  );
}

/** Where the colours are loaded already, code has them from the beginning: a page without a program gets no others. */
export const LoadedColours = createContext<typeof Highlight | null>(null);

export function Coloured({ text, language }: { text: string; language: string | null }) {
  const loaded = useContext(LoadedColours);
  const [pieces, setPieces] = useState<readonly CodePiece[] | null>(() =>
    loaded === null || language === null || text.length > MAX_COLOURED ? null : loaded(text, language),
  );
  useEffect(() => {
    setPieces(null);
    if (language === null || text.length > MAX_COLOURED) return;
    let isCurrent = true;
    void import("./highlight.ts").then(({ highlight }) => {
      if (isCurrent) setPieces(highlight(text, language));
    });
    return () => {
      isCurrent = false;
    };
  }, [text, language]);
  return pieces === null ? <>{text}</> : <StyledPieces pieces={pieces} />;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  py: "python",
  rs: "rust",
  go: "go",
  java: "java",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  css: "css",
  html: "markup",
  xml: "markup",
  svg: "markup",
  json: "json",
  yml: "yaml",
  yaml: "yaml",
  sh: "bash",
  bash: "bash",
  sql: "sql",
};

/** The language of a file by its name; null where it is not known. */
export function languageOf(path: string): string | null {
  return LANGUAGES[path.split(".").at(-1)?.toLowerCase() ?? ""] ?? null;
}
