/** A part of a view with a title, and a table that becomes a list on a phone. */
import type { ComponentChildren } from "preact";

export function Card({
  title,
  aside,
  children,
}: {
  title: ComponentChildren;
  /** Beside the title: states, then actions. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="card">
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export interface Column {
  readonly name: string;
  /** Read by screen readers only. */
  readonly isQuiet?: boolean;
  readonly isNumber?: boolean;
}

export function Table({
  label,
  columns,
  children,
}: {
  label: string;
  columns: readonly Column[];
  children: ComponentChildren;
}) {
  return (
    <div class="tablewrap">
      <table class="listed" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ name, isQuiet, isNumber }) => (
              <th key={name} scope="col" class={isNumber === true ? "num" : ""}>
                {isQuiet === true ? <span class="sr">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
