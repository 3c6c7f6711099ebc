/** Asks a model for a summary that another one can go on from. */
export const COMPACT_PROMPT = `The conversation is about to be replaced by a summary. Write it for the model that will carry on with the task and will see nothing else of what was said.

Say, briefly and in this order:
- what the user wants, with their constraints and preferences
- what was done and decided so far, and why
- what is left to do, the next step first
- names, paths, values and error messages that will be needed

Write only the summary.`;
