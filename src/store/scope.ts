/** The tenant and user on whose behalf something is done. Data of another tenant does not exist in a scope. */
export interface Scope {
  readonly tenant: string;
  /** The user within the tenant, from the token. */
  readonly subject: string;
}

/** The scope of a single-tenant server. */
export const LOCAL_SCOPE: Scope = { tenant: "local", subject: "local" };
