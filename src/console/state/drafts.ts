/** Drafts of messages by thread. They stay in memory: nothing of a thread is kept on the device. */
const drafts = new Map<string, string>();

export const draftOf = (threadId: string): string => drafts.get(threadId) ?? "";

export function keepDraft(threadId: string, text: string): void {
  if (text === "") drafts.delete(threadId);
  else drafts.set(threadId, text);
}
