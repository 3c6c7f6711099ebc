/** Output of a command with the colours that it asks for. */
import { parseAnsi } from "../text/ansi.ts";
import { StyledPieces } from "../text/styled-pieces.tsx";

export function AnsiText({ text }: { text: string }) {
  return <StyledPieces pieces={parseAnsi(text)} />;
}
