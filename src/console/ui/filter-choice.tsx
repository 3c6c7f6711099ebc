/** A filter with some choices, kept in the address. */
import { place, setFilter } from "../state/router.ts";

export interface FilterChoiceProps {
  /** Of the parameter in the address. */
  readonly name: string;
  readonly label: string;
  /** What is chosen where the address has nothing. */
  readonly all: string;
  readonly choices: readonly (readonly [value: string, name: string])[];
}

export function FilterChoice({ name, label, all, choices }: FilterChoiceProps) {
  return (
    <select
      class="field"
      aria-label={label}
      value={place.value.query.get(name) ?? ""}
      onChange={({ currentTarget: { value } }) => setFilter(name, value === "" ? null : value)}
    >
      <option value="">{all}</option>
      {choices.map(([value, shown]) => (
        <option key={value} value={value}>
          {shown}
        </option>
      ))}
    </select>
  );
}
