// Heddle's own keys. `config/read` shows them only when a file or flag sets them.
import { choice, decimal, flag, integer, listOf, mapOf, secret, text } from "./kind.ts";
import { filled, table, whenSet, withDefault } from "./table.ts";
import { webhooks } from "./webhook-keys.ts";

const MIB = 1024 * 1024;

const unlisted = { unlisted: "unchanged" } as const;

export const heddleKeys = {
  model_fallbacks: whenSet(
    listOf(text()),
    "Models that answer a turn while the provider of its model is overloaded or has an error, in this order: `model` of the same provider, or `provider/model`. The next turn begins with its own model again.",
  ),
  approvals: filled(
    table("Approvals", {
      timeout_sec: withDefault(
        integer("a nonzero u64"),
        86_400,
        "Seconds until an unanswered approval is denied.",
      ),
      after_restart: whenSet(
        choice(["ask", "deny"]),
        "What becomes of an open question when its server ends: it is asked again by the next one, which continues the turn, or it is denied; by default `heddle serve` asks, and other servers deny.",
      ),
      trusted_commands: withDefault(
        flag(),
        true,
        "Whether commands that only read run unasked under the policy `untrusted`.",
      ),
    }),
    "Approvals.",
    unlisted,
  ),
  access: filled(
    table("Access", {
      threads: withDefault(
        choice(["all", "own"]),
        "all",
        "Which threads a client with a token may use: all of them, or those that were created with its subject. Clients with the scope `admin`, and those that need no token, may use all.",
      ),
    }),
    "What clients with a token may do.",
    unlisted,
  ),
  queue: filled(
    table("Queue", {
      after_interrupt: withDefault(
        choice(["continue", "pause"]),
        "continue",
        "What the queue of a thread does after its turn was interrupted.",
      ),
      after_failure: withDefault(
        choice(["continue", "pause"]),
        "continue",
        "What the queue of a thread does after its turn has failed.",
      ),
      background: whenSet(
        flag(),
        "Whether the server loads threads whose queued turns are due, without a client; by default `heddle serve` does, and other servers do not.",
      ),
      unattended_questions: withDefault(
        choice(["wait", "deny"]),
        "wait",
        "What becomes of a question of a queued turn while no client follows its thread: it waits until `approvals.timeout_sec`, or is denied at once.",
      ),
      after_crash: withDefault(
        choice(["failed", "retry"]),
        "failed",
        "What becomes of a queued turn whose server ended while it started the turn: it fails, or it returns to its place, at most three times, if it is certain that nothing of it has run.",
      ),
      max_background_threads: withDefault(
        integer("a nonzero u32"),
        4,
        "Threads that may be loaded at the same time without a client, for queued turns that are due and for usage limits that have ended.",
      ),
      max_per_thread: withDefault(integer("a nonzero u64"), 100, "Turns that may wait in one thread."),
    }),
    "The queue of turns.",
    unlisted,
  ),
  retention: filled(
    table("Retention", {
      max_age_days: whenSet(
        integer("a nonzero u32"),
        "Days after which a thread in which nothing happens is archived; it is deleted when it has been archived for as long again. Without it none is too old.",
      ),
      max_bytes: whenSet(
        integer("a nonzero u64"),
        "Bytes that the files of all threads may take up; the oldest are packed, archived and deleted first. Without it there is no limit.",
      ),
      keep_named: withDefault(flag(), true, "Whether named threads are kept."),
    }),
    "What `heddle gc` lets go of; where a limit is set, a server does the same once a day.",
    unlisted,
  ),
  store: filled(
    table("Store", {
      url: whenSet(
        secret(),
        "A PostgreSQL database, `postgres://user:password@host/database`, which several servers may share; without it threads are kept in the home. Read from the user's own config.toml only.",
      ),
    }),
    "Where threads are kept.",
    unlisted,
  ),
  clients: withDefault(
    mapOf(
      table("Client", {
        notice_delay_ms: whenSet(
          integer("a number of at most 1000"),
          "Milliseconds, at most 1000, that the first notice after an answer waits, for a client that listens only when it has seen the answer; without it 20 for those that are known to, and none for others.",
        ),
      }),
    ),
    {},
    "Settings for clients, by the `clientInfo.name` that they initialize with; they hold from its next connection on.",
    unlisted,
  ),
  prices: withDefault(
    mapOf(
      table("ModelPrice", {
        input: withDefault(decimal(), 0, "Of a million tokens of input."),
        cached_input: whenSet(
          decimal(),
          "Of a million tokens of input that the provider had cached; that of other input by default.",
        ),
        output: withDefault(decimal(), 0, "Of a million tokens of output, reasoning included."),
      }),
    ),
    {},
    "What models cost, by their names and in any currency, for `usage/summary`; a model that is not here has no cost.",
    unlisted,
  ),
  durability: withDefault(
    choice(["os", "fsync"]),
    "os",
    "What an answered request survives: `os` the end of the process, `fsync` also that of the machine.",
    unlisted,
  ),
  workspace_programs: withDefault(
    choice(["refuse", "run"]),
    "refuse",
    "What is done with MCP servers and `notify` programs whose files sandboxed commands can write: they run outside of the sandbox.",
    unlisted,
  ),
  limits: filled(
    table("Limits", {
      max_message_bytes: withDefault(
        integer("a nonzero u64"),
        64 * MIB,
        "Largest message that a client may send.",
      ),
      max_outgoing_bytes: withDefault(
        integer("a nonzero u64"),
        64 * MIB,
        "Output that may wait for a slow client before it is disconnected.",
      ),
      drain_timeout_sec: withDefault(
        integer("a nonzero u32"),
        540,
        "Seconds that running turns have to finish when the server drains; then they are interrupted.",
      ),
      max_pending_requests: withDefault(
        integer("a nonzero u64"),
        1024,
        "Requests of one client that may wait.",
      ),
      on_usage_limit: whenSet(
        choice(["suspend", "fail"]),
        "What a turn does at a usage limit whose end the provider names: it waits for the end and continues, also in another process, or it fails; by default queued turns and all turns of `heddle serve` wait, and others fail.",
      ),
    }),
    "Bounds.",
    unlisted,
  ),
  webhooks,
};
