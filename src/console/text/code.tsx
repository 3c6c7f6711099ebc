/** Code with colours, which are loaded when the first of it is shown. */
import { useEffect, useState } from "preact/hooks";
import type { CodePiece } from "./highlight.ts";

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

export function Coloured({ text, language }: { text: string; language: string | null }) {
  const [pieces, setPieces] = useState<readonly CodePiece[] | null>(null);
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
  if (pieces === null) return <>{text}</>;
  return (
    <>
      {pieces.map(({ text: part, style }, index) =>
        style === "" ? (
          part
        ) : (
          <span key={index} class={style}>
            {part}
          </span>
        ),
      )}
    </>
  );
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
