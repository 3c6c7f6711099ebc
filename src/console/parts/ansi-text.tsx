/** Output of a command with the colours that it asks for. */
import { parseAnsi } from "../text/ansi.ts";
import { StyledPieces } from "../text/styled-pieces.tsx";
import { withBidiMarks } from "../text/visible.ts";

export function AnsiText({ text }: { text: string }) {
  return <StyledPieces pieces={parseAnsi(withBidiMarks(text))} />;
}
