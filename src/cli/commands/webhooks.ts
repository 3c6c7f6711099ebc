import { systemClock } from "../../base/clock.ts";
import { isRefusal, type Refusal } from "../../base/refusal.ts";
import type { WebhookDeliveryStatus } from "../../protocol/generated/types.ts";
import { listWebhooks, retryWebhooks, testWebhooks } from "../../runtime/webhooks/manage-webhooks.ts";
import { ownWebhooks } from "../../runtime/webhooks/own-webhooks.ts";
import { createPostWebhook } from "../../runtime/webhooks/post-webhook.ts";
import { readWebhooks, type Webhooks } from "../../runtime/webhooks/read-webhooks.ts";
import {
  type Command,
  type CommandEntry,
  type CommandSpec,
  declareCommand,
  type ParsedArguments,
  UsageError,
} from "../command-line/command.ts";
import { globalOptions, jsonOption, limitOption } from "../command-line/options.ts";
import { paintFor } from "../command-line/paint.ts";
import { type OpenHome, withHome } from "../home/open-home.ts";
import { renderTests, renderWebhooks } from "../webhooks/render-webhooks.ts";

interface WebhooksCall {
  readonly args: ParsedArguments;
  readonly home: OpenHome;
  readonly webhooks: Webhooks;
}

/** Returns the exit code. */
interface Subcommand extends Pick<CommandEntry, "name" | "summary">, CommandSpec {
  /** Whether it signs, and so needs the secrets. The server's environment has variables that a shell lacks. */
  readonly signs?: true;
  readonly run: (call: WebhooksCall) => Promise<number>;
}

const LIST_LENGTH = 25;
const MAX_LIST_LENGTH = 100;
const STATUSES: readonly WebhookDeliveryStatus[] = ["pending", "claimed", "delivered", "abandoned"];

const endpointOption = { name: "endpoint", value: "ID", help: "Only those of this endpoint" };

const list: Subcommand = {
  name: "list",
  summary: "Print the endpoints and their latest deliveries, the newest first",
  details: "Of each delivery: its id, event, endpoint, state, attempts and how the last one was answered.",
  options: [
    {
      name: "status",
      value: "STATUS",
      help: `Only deliveries that are ${STATUSES.join(", ")}`,
      validate: (text) => (isStatus(text) ? null : `expected one of ${STATUSES.join(", ")}`),
    },
    endpointOption,
    limitOption(LIST_LENGTH, MAX_LIST_LENGTH),
    { name: "cursor", value: "CURSOR", help: "The next page of an earlier list" },
    jsonOption,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle webhooks list", description: "Where events go, and what became of the latest ones" },
    {
      command: "heddle webhooks list --status abandoned --json",
      description: "What was not delivered, for programs",
    },
  ],
  run: runList,
};

const retry: Subcommand = {
  name: "retry",
  summary: "Attempt deliveries again now, and switch on an endpoint that is off",
  details: "`heddle serve` makes the attempts. With --endpoint: all that wait or were abandoned.",
  operands: "[DELIVERY]",
  options: [
    { name: "endpoint", value: "ID", help: "All deliveries of this endpoint" },
    jsonOption,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle webhooks retry 17", description: "One delivery, by its id in the list" },
    { command: "heddle webhooks retry --endpoint phone", description: "All of an endpoint" },
  ],
  run: runRetry,
};

const test: Subcommand = {
  name: "test",
  summary: "Send a test event now, and print how it was answered",
  details: "Needs no server. The exit code is 1 if an endpoint did not accept it.",
  operands: "[ENDPOINT]",
  options: [jsonOption, ...globalOptions],
  examples: [
    { command: "heddle webhooks test", description: "To all endpoints" },
    { command: "heddle webhooks test phone", description: "To one of them" },
  ],
  signs: true,
  run: runTest,
};

function toEntry({ run, signs, ...declared }: Subcommand): CommandEntry {
  return declareCommand({
    ...declared,
    run: (args, chain) =>
      withHome(chain, async (home) => {
        const webhooks = readWebhooks(ownWebhooks(home.layers), signs === true ? process.env : null);
        return run({ args, home, webhooks });
      }),
  });
}

export const webhooksCommand: Command = {
  details: "Webhooks are configured in config.toml of the home; docs/webhooks.md says how.",
  options: globalOptions,
  subcommands: [list, retry, test].map(toEntry),
  examples: [...list.examples, ...test.examples],
};

async function runList({ args, home, webhooks }: WebhooksCall): Promise<number> {
  const status = args.value("status") ?? null;
  const page = {
    status: status !== null && isStatus(status) ? status : null,
    endpointId: args.value("endpoint"),
    limit: Number(args.value("limit") ?? LIST_LENGTH),
    cursor: args.value("cursor"),
  };
  const listed = orThrow(await listWebhooks(home.store.outbox, webhooks, page));
  if (args.flag("json")) process.stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
  else {
    writeFaults(webhooks);
    if (listed.endpoints.length === 0) process.stderr.write("no webhook is configured\n");
    process.stdout.write(renderWebhooks(listed, paintFor(process.stdout)));
  }
  return 0;
}

async function runRetry({ args, home, webhooks }: WebhooksCall): Promise<number> {
  const [deliveryId] = args.operands;
  const endpointId = args.value("endpoint");
  if ((deliveryId === undefined) === (endpointId === undefined))
    throw new UsageError("name a delivery, or an endpoint with --endpoint");
  const retried = orThrow(await retryWebhooks(home.store.outbox, webhooks, { deliveryId, endpointId }));
  const count = retried.retried === 1 ? "1 delivery is due now" : `${retried.retried} deliveries are due now`;
  const text = retried.switchedOn ? `${endpointId} is on again; ${count}` : count;
  process.stdout.write(args.flag("json") ? `${JSON.stringify(retried)}\n` : `${text}\n`);
  return 0;
}

async function runTest({ args, home, webhooks }: WebhooksCall): Promise<number> {
  const post = createPostWebhook({ env: process.env, clock: systemClock });
  const [endpointId] = args.operands;
  const { createId } = home;
  const results = orThrow(await testWebhooks(webhooks, { post, clock: systemClock, createId, endpointId }));
  const isGood = webhooks.faults.length === 0 && results.every(({ delivered }) => delivered);
  if (args.flag("json")) {
    process.stdout.write(`${JSON.stringify({ results, faults: webhooks.faults }, null, 2)}\n`);
    return isGood ? 0 : 1;
  }
  writeFaults(webhooks);
  if (webhooks.endpoints.length === 0) process.stderr.write("no webhook is configured\n");
  process.stdout.write(renderTests(results, paintFor(process.stdout)));
  return isGood ? 0 : 1;
}

function writeFaults({ faults }: Webhooks): void {
  for (const fault of faults) process.stderr.write(`not used: ${fault}\n`);
}

function isStatus(text: string): text is WebhookDeliveryStatus {
  return STATUSES.some((status) => status === text);
}

/** The message is for the user. */
function orThrow<T>(outcome: T | Refusal): T {
  if (isRefusal(outcome)) throw new Error((outcome as Refusal).message);
  return outcome;
}
