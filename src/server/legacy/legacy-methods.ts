/** The names of the messages that only the first generation of the protocol has. */

export const APPLY_PATCH_APPROVAL = "applyPatchApproval";
export const EXEC_COMMAND_APPROVAL = "execCommandApproval";

/** Every event is a notification of its own, named by this and its type. */
export const EVENT_PREFIX = "codex/event/";
