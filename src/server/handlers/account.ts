import type { ModelProvider } from "../../config/model-provider.ts";
import { type Handlers, invalidRequest } from "../connections/handler.ts";

export interface AccountOptions {
  readonly provider: () => Promise<ModelProvider>;
}

/** Heddle has no user accounts: a provider is called with an API key, or without one. */
export function createAccountHandlers({
  provider,
}: AccountOptions): Handlers<"account/read" | "account/rateLimits/read" | "getAuthStatus"> {
  async function read() {
    const { requiresOpenaiAuth, apiKey } = await provider();
    return { requiresOpenaiAuth, hasKey: requiresOpenaiAuth && apiKey !== null };
  }

  return {
    async "account/read"() {
      const { requiresOpenaiAuth, hasKey } = await read();
      return { account: hasKey ? { type: "apiKey" } : null, requiresOpenaiAuth, workspaceRouting: null };
    },
    "account/rateLimits/read"() {
      throw invalidRequest("codex account authentication required to read rate limits");
    },
    async getAuthStatus() {
      const { requiresOpenaiAuth, hasKey } = await read();
      return { authMethod: hasKey ? "apikey" : null, authToken: null, requiresOpenaiAuth };
    },
  };
}
