/** Fields of forms with their labels. */

import { useId } from "preact/hooks";
import { inputType } from "./input-type.ts";

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string;
  readonly type?: "text" | "datetime-local";
  readonly isRequired?: boolean;
  /** Drawn as code, from left to right. */
  readonly isCode?: boolean;
  /** More than one makes it an area. */
  readonly lines?: number;
}

export function TextField(props: TextFieldProps) {
  const { label, value, onValue, hint, type = "text", isRequired = false, isCode = false, lines = 1 } = props;
  const id = useId();
  const shared = {
    id,
    value,
    required: isRequired,
    dir: isCode ? ("ltr" as const) : ("auto" as const),
    spellcheck: !isCode,
    ...(hint !== undefined && { "aria-describedby": `${id}-hint` }),
  };
  return (
    <div class="stack tight">
      <label for={id}>{label}</label>
      {lines > 1 ? (
        <textarea
          {...shared}
          class={`field wide area ${isCode ? "mono" : ""}`}
          rows={lines}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      ) : (
        <input
          {...shared}
          {...inputType(type)}
          class={`field wide ${isCode ? "mono" : ""}`}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
      {hint !== undefined && (
        <span id={`${id}-hint`} class="small dimmer">
          {hint}
        </span>
      )}
    </div>
  );
}

export interface ChoiceFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly choices: readonly (readonly [value: string, name: string])[];
}

export function ChoiceField({ label, value, onValue, choices }: ChoiceFieldProps) {
  const id = useId();
  return (
    <div class="stack tight">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="field wide"
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {choices.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
