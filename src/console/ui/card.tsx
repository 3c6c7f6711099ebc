/** A part of a view with a title, and a table that becomes a list on a phone. */
import type { ComponentChildren, RefObject } from "preact";

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
  /** A class with its width, in a table whose columns are fixed. */
  readonly width?: string;
}

export interface TableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  /** The columns keep their widths. */
  readonly isFixed?: boolean;
  readonly body?: RefObject<HTMLTableSectionElement | null> | null;
  readonly children: ComponentChildren;
}

export function Table({ label, columns, isFixed = false, body = null, children }: TableProps) {
  return (
    <div class="tablewrap">
      <table class={isFixed ? "fixed" : "listed"} aria-label={label}>
        {isFixed && (
          <colgroup>
            {columns.map(({ name, width }) => (
              <col key={name} class={width} />
            ))}
          </colgroup>
        )}
        <thead>
          <tr>
            {columns.map(({ name, isQuiet, isNumber }) => (
              <th key={name} scope="col" class={isNumber === true ? "num" : ""}>
                {isQuiet === true ? <span class="sr">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>{children}</tbody>
      </table>
    </div>
  );
}
