/** Searches the list of a view. What is searched for is a part of the address. */
import { useRef } from "preact/hooks";
import { place, setFilter } from "../state/router.ts";
import { labelOf } from "./key-table.ts";
import { useKeys } from "./use-keys.ts";

export interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly maxLength?: number;
}

export function SearchField({ label, placeholder, maxLength }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({
    search(event) {
      event.preventDefault();
      field.current?.focus();
    },
  });
  return (
    <input
      ref={field}
      class="field"
      type="search"
      aria-label={label}
      aria-keyshortcuts={labelOf("search")}
      placeholder={placeholder}
      maxLength={maxLength}
      value={place.value.query.get("q") ?? ""}
      onInput={(event) => setFilter("q", event.currentTarget.value)}
    />
  );
}
