/** Questions that are answered with a form: of the agent, and of an MCP server. */
import { useState } from "preact/hooks";
import type { Approval, ToolRequestUserInputQuestion } from "../../protocol/generated/types.ts";
import { guard } from "../state/rights.ts";
import { inputType } from "../ui/input-type.ts";
import { VisibleText } from "../ui/visible-text.tsx";
import type { Answering } from "./use-answer.ts";

interface FormProps {
  readonly approval: Approval;
  readonly answering: Answering;
}

export function QuestionForm(props: FormProps) {
  return (
    <fieldset class="bare" {...guard("approval/answer")}>
      {props.approval.kind === "userInput" ? <AgentForm {...props} /> : <ServerForm {...props} />}
    </fieldset>
  );
}

function AgentForm({ approval: { request }, answering }: FormProps) {
  const { questions = [] } = (request?.params ?? {}) as {
    readonly questions?: ToolRequestUserInputQuestion[];
  };
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const isComplete = questions.every(({ id }) => (given[id] ?? "").trim() !== "");
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const answers = Object.fromEntries(questions.map(({ id }) => [id, { answers: [given[id] ?? ""] }]));
        answering.send({ answers });
      }}
    >
      {questions.map((question) => (
        <AgentQuestion
          key={question.id}
          question={question}
          value={given[question.id] ?? ""}
          onChange={(value) => setGiven({ ...given, [question.id]: value })}
        />
      ))}
      <div class="row">
        <button class="btn primary" type="submit" disabled={!isComplete || answering.pending !== null}>
          {answering.pending === null ? "Answer" : "Sending…"}
        </button>
      </div>
    </form>
  );
}

interface AgentQuestionProps {
  readonly question: ToolRequestUserInputQuestion;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function AgentQuestion({ question, value, onChange }: AgentQuestionProps) {
  const { id, header, question: text, options, isOther, isSecret } = question;
  const labels = (options ?? []).map(({ label }) => label);
  return (
    <fieldset class="ask-field">
      <legend>
        {header !== "" && <span class="dimmer">{header}: </span>}
        <VisibleText text={text} />
      </legend>
      {(options ?? []).map(({ label, description }) => (
        <label key={label} class="choice">
          <input type="radio" name={id} checked={value === label} onChange={() => onChange(label)} />
          <span>
            <b>{label}</b> <span class="dim">{description}</span>
          </span>
        </label>
      ))}
      {(isOther || labels.length === 0) && (
        <input
          class="field wide"
          {...inputType(isSecret ? "password" : "text")}
          aria-label={labels.length === 0 ? text : "Another answer"}
          placeholder={labels.length === 0 ? "" : "Another answer"}
          autocomplete="off"
          value={labels.includes(value) ? "" : value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </fieldset>
  );
}

interface FieldSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
}

interface RequestedSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

function ServerForm({ approval: { request }, answering }: FormProps) {
  const { message = "", requestedSchema = {} } = (request?.params ?? {}) as {
    readonly message?: string;
    readonly requestedSchema?: RequestedSchema;
  };
  const fields = Object.entries(requestedSchema.properties ?? {});
  const [given, setGiven] = useState<Readonly<Record<string, unknown>>>({});
  const missing = (requestedSchema.required ?? []).filter(
    (name) => given[name] === undefined || given[name] === "",
  );
  const isBusy = answering.pending !== null;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        answering.send({ action: "accept", content: given, _meta: null });
      }}
    >
      <p>
        <VisibleText text={message} />
      </p>
      {fields.map(([name, schema]) => (
        <ServerField
          key={name}
          name={name}
          schema={schema}
          value={given[name]}
          onChange={(value) => setGiven({ ...given, [name]: value })}
        />
      ))}
      <div class="row">
        <button class="btn primary" type="submit" disabled={isBusy || missing.length > 0}>
          Send
        </button>
        <button
          class="btn danger"
          type="button"
          disabled={isBusy}
          onClick={() => answering.send({ action: "decline", content: null, _meta: null })}
        >
          Decline
        </button>
      </div>
    </form>
  );
}

interface ServerFieldProps {
  readonly name: string;
  readonly schema: FieldSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function ServerField({ name, schema, value, onChange }: ServerFieldProps) {
  const title = schema.title ?? name;
  if (schema.type === "boolean")
    return (
      <label class="choice">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>
          <b>{title}</b> <span class="dim">{schema.description}</span>
        </span>
      </label>
    );
  const isNumber = schema.type === "number" || schema.type === "integer";
  return (
    <label class="stack tight">
      <span>
        <b>{title}</b> <span class="dim">{schema.description}</span>
      </span>
      {schema.enum === undefined ? (
        <input
          class="field wide"
          {...inputType(isNumber ? "number" : "text")}
          autocomplete="off"
          value={textOf(value)}
          onInput={({ currentTarget: { value: text } }) =>
            onChange(isNumber && text !== "" ? Number(text) : text)
          }
        />
      ) : (
        <select
          class="field wide"
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          <option value="">Choose…</option>
          {schema.enum.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
    </label>
  );
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
