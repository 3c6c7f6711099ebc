/** A promise that was not kept, with what shows it. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly evidence: unknown;

  constructor(message: string, evidence: unknown) {
    super(message);
    this.evidence = evidence;
  }
}
