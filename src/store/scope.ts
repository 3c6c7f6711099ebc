/** On whose behalf something is done: what belongs to another tenant does not exist for it. */
export interface Scope {
  readonly tenant: string;
  /** Who it is within the tenant, as far as a token says so. */
  readonly subject: string;
}

/** Of a server that knows one tenant: that of whoever runs it. */
export const LOCAL_SCOPE: Scope = { tenant: "local", subject: "local" };
