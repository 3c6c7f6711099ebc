/**
 * The language of patches for models whose output can be held to a grammar. It is narrower than what the
 * parser takes: no white space around markers, no heredoc, no environment.
 */
export const PATCH_GRAMMAR = `start: "*** Begin Patch" LF file+ "*** End Patch" LF?
file: added | deleted | updated

added: "*** Add File: " TEXT LF ("+" TEXT? LF)+
deleted: "*** Delete File: " TEXT LF
updated: "*** Update File: " TEXT LF moved? (lines chunk* | chunk+)

moved: "*** Move to: " TEXT LF
chunk: "@@" (" " TEXT)? LF lines
lines: line+ ("*** End of File" LF)?
line: ("+" | "-" | " ") TEXT? LF

TEXT: /[^\\n]+/

%import common.LF
`;
