/** The specs of `exec_command` and `write_stdin`, verbatim as models were trained on them. */

const OUTPUT_BUDGET = {
  type: "number",
  description: "Output token budget. Defaults to 10000 tokens; larger requests may be capped by policy.",
};

export const execCommandSpec = {
  type: "function",
  name: "exec_command",
  description: "Runs a command in a PTY, returning output or a session ID for ongoing interaction.",
  strict: false,
  parameters: {
    type: "object",
    properties: {
      cmd: { type: "string", description: "Shell command to execute." },
      justification: {
        type: "string",
        description: "User-facing approval question for `require_escalated`; omit otherwise.",
      },
      login: {
        type: "boolean",
        description: "True runs the shell with -l/-i semantics; false disables them. Defaults to true.",
      },
      max_output_tokens: OUTPUT_BUDGET,
      prefix_rule: {
        type: "array",
        description:
          'Reusable approval prefix for `cmd`, only with `sandbox_permissions: "require_escalated"`; for example ["git", "pull"].',
        items: { type: "string" },
      },
      sandbox_permissions: {
        type: "string",
        description:
          "Per-command sandbox override. Defaults to `use_default`; use `require_escalated` for unsandboxed execution.",
        enum: ["use_default", "require_escalated"],
      },
      shell: {
        type: "string",
        description: "Shell binary to launch. Defaults to the user's default shell.",
      },
      tty: {
        type: "boolean",
        description: "True allocates a PTY for the command; false or omitted uses plain pipes.",
      },
      workdir: {
        type: "string",
        description: "Working directory for the command. Defaults to the turn cwd.",
      },
      yield_time_ms: {
        type: "number",
        description: "Wait before yielding output. Defaults to 10000 ms; effective range is 250-30000 ms.",
      },
    },
    required: ["cmd"],
    additionalProperties: false,
  },
};

export const writeStdinSpec = {
  type: "function",
  name: "write_stdin",
  description: "Writes characters to an existing unified exec session and returns recent output.",
  strict: false,
  parameters: {
    type: "object",
    properties: {
      chars: {
        type: "string",
        description: "Bytes to write to stdin. Defaults to empty, which polls without writing.",
      },
      max_output_tokens: OUTPUT_BUDGET,
      session_id: { type: "number", description: "Identifier of the running unified exec session." },
      yield_time_ms: {
        type: "number",
        description:
          "Wait before yielding output. Non-empty writes default to 250 ms and cap at 30000 ms; empty polls wait 5000-300000 ms by default.",
      },
    },
    required: ["session_id"],
    additionalProperties: false,
  },
};
