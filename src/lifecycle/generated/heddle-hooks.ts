// Generated from src/hooks/events by `npm run generate`. Do not edit.

import type { EventName } from "../vocabulary/events.ts";

/** Hooks of Heddle, and the event that each is read as. */
export const heddleHooks: readonly { readonly hook: string; readonly reads: EventName }[] = [
  {"hook":"PreModelRequest","reads":"model.requested"},
  {"hook":"PostModelRequest","reads":"model.responded"},
  {"hook":"PreToolUse","reads":"tool.starting"},
  {"hook":"PermissionRequest","reads":"permission.requested"},
  {"hook":"PostToolUse","reads":"tool.completed"},
  {"hook":"PreCompact","reads":"context.pressure_observed"},
  {"hook":"PostCompact","reads":"context.compacted"},
  {"hook":"SessionStart","reads":"session.started"},
  {"hook":"SessionEnd","reads":"session.ended"},
  {"hook":"UserPromptSubmit","reads":"frame.opening"},
  {"hook":"Stop","reads":"frame.ending"},
  {"hook":"Interrupt","reads":"interrupt.requested"},
];
