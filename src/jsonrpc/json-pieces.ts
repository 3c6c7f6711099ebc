/**
 * A result that is made into JSON piece by piece while it is sent: too large to be one text, or to be made into one
 * while others wait.
 */
export class JsonPieces {
  /** The length of all pieces in bytes. */
  readonly bytes: number;
  readonly pieces: Iterable<string>;

  constructor(bytes: number, pieces: Iterable<string>) {
    this.bytes = bytes;
    this.pieces = pieces;
  }

  /** The same as one text, for who can take no pieces. */
  join(): string {
    return [...this.pieces].join("");
  }
}
