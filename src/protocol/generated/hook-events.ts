// Generated from src/hooks/events by `npm run generate`. Do not edit.

/** Events of hooks, in the order in which lists of hooks have them. */
export const hookEventRows = [
  {"name":"PreModelRequest","wireName":"preModelRequest","description":"Before a request to the model.","isAnswered":false},
  {"name":"PostModelRequest","wireName":"postModelRequest","description":"After one.","isAnswered":false},
  {"name":"PreToolUse","wireName":"preToolUse","description":"Before a tool runs.","isAnswered":true},
  {"name":"PermissionRequest","wireName":"permissionRequest","description":"When a person would be asked.","isAnswered":true},
  {"name":"PostToolUse","wireName":"postToolUse","description":"After a tool ran.","isAnswered":true},
  {"name":"PreCompact","wireName":"preCompact","description":"Before compaction.","isAnswered":true},
  {"name":"PostCompact","wireName":"postCompact","description":"After compaction.","isAnswered":true},
  {"name":"SessionStart","wireName":"sessionStart","description":"When a thread starts or comes back.","isAnswered":true},
  {"name":"SessionEnd","wireName":"sessionEnd","description":"When a thread ends.","isAnswered":false},
  {"name":"UserPromptSubmit","wireName":"userPromptSubmit","description":"Before a prompt reaches the model.","isAnswered":true},
  {"name":"SubagentStart","wireName":"subagentStart","description":"When another agent starts.","isAnswered":true},
  {"name":"SubagentStop","wireName":"subagentStop","description":"When another agent stops.","isAnswered":true},
  {"name":"Stop","wireName":"stop","description":"When a turn would end.","isAnswered":true},
  {"name":"Interrupt","wireName":"interrupt","description":"When a turn is interrupted.","isAnswered":true},
] as const;
