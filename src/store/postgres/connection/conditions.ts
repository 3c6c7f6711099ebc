import type { SqlValue } from "./link.ts";

/** Conditions of a statement and their values. */
export class Conditions {
  readonly parts: string[] = [];
  readonly values: SqlValue[] = [];

  /** The placeholder of a value. */
  value(value: SqlValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(condition: (placeholder: string) => string, value: SqlValue): void {
    this.parts.push(condition(this.value(value)));
  }
}
