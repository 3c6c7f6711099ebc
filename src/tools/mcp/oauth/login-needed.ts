/** A server did not let us in: it wants a login, or another one. */
export class LoginNeededError extends Error {
  /** What the server asked for, in its own words. */
  readonly challenge: string | null;
  /** A login is there, and of no use any more. */
  readonly hadLogin: boolean;

  constructor(challenge: string | null, hadLogin: boolean) {
    super("Auth required");
    this.name = "LoginNeededError";
    this.challenge = challenge;
    this.hadLogin = hadLogin;
  }
}

const UNAUTHORIZED = 401;
/** Errors are wrapped on their way through the SDK, though not that often. */
const MAX_DEPTH = 10;

/** What a server wants of those whom it does not let in; null for every other answer. */
export async function findRefusal(response: Response, hadLogin: boolean): Promise<LoginNeededError | null> {
  if (response.status !== UNAUTHORIZED) return null;
  await response.body?.cancel();
  return new LoginNeededError(response.headers.get("www-authenticate"), hadLogin);
}

export function findLoginNeeded(error: unknown): LoginNeededError | null {
  let current = error;
  for (let depth = 0; depth < MAX_DEPTH && current instanceof Error; depth += 1) {
    if (current instanceof LoginNeededError) return current;
    current = current.cause;
  }
  return null;
}

/** How a call ends that is refused: a model hears of it as of any failure, clients see what is wanted. */
export function toRefusedCall({ challenge }: LoginNeededError) {
  return {
    kind: "answered" as const,
    result: {
      content: [{ type: "text", text: "Authentication required" }],
      isError: true,
      ...(challenge !== null && { _meta: { "mcp/www_authenticate": [challenge] } }),
    },
  };
}
