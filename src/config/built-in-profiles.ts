/** The permission profiles that need no definition, by their sandbox modes. */
export const PROFILES = {
  "read-only": ":read-only",
  "workspace-write": ":workspace",
  "danger-full-access": ":danger-full-access",
} as const;
