/** The type of an input that is chosen at run time: the types of Preact want one that is known. */
export const inputType = (
  type: "text" | "password" | "number" | "datetime-local",
): { readonly type: "text" } => ({
  type: type as "text",
});
