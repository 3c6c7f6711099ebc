import type { PostgresValue } from "./link.ts";

/** Conditions of a statement and their values. */
export class Conditions {
  readonly parts: string[] = [];
  readonly values: PostgresValue[] = [];

  /** The placeholder of a value. */
  value(value: PostgresValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(condition: (placeholder: string) => string, value: PostgresValue): void {
    this.parts.push(condition(this.value(value)));
  }
}
