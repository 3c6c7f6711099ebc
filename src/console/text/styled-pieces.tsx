/** Runs of text with classes of the style sheet. */

interface StyledPiece {
  readonly text: string;
  /** Class names, or nothing. */
  readonly style: string;
}

export function StyledPieces({ pieces }: { pieces: readonly StyledPiece[] }) {
  return (
    <>
      {pieces.map(({ text, style }, index) =>
        style === "" ? (
          text
        ) : (
          <span key={index} class={style}>
            {text}
          </span>
        ),
      )}
    </>
  );
}
