/** `heddle lifecycle receipt` prints the receipts of dispatched events. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolveHome } from "../../config/home.ts";
import type { ReceiptLedger } from "../../lifecycle/index.ts";
import { type OpenReceipts, openReceipts, receiptsOf } from "../../store/open/open-receipts.ts";
import { type OptionSpec, type ParsedArguments, UsageError } from "../command-line/command.ts";
import type { LifecycleCommand } from "./lifecycle-command.ts";
import { LifecycleFault, UNSUPPORTED } from "./lifecycle-command.ts";
import { printJson, requiredOption } from "./translate.ts";

export const ledgerOption: OptionSpec = {
  name: "ledger",
  value: "FILE",
  help: "The SQLite file of the receipts (default: heddle.sqlite of the home)",
};

const MAX_PAGE = 1000;

export const receiptCommand: LifecycleCommand = {
  name: "receipt",
  summary: "Print receipts of events that were dispatched",
  details:
    "`list` prints them in the order in which they were recorded; `get` prints the one of a key, and ends with code 3 where there is none.",
  operands: "<list|get>",
  options: [
    ledgerOption,
    { name: "run", value: "ID", help: "list: those of one run" },
    { name: "client-id", value: "ID", help: "Those of one client; needed by get" },
    { name: "after", value: "ID", help: "list: those behind this receipt" },
    {
      name: "limit",
      value: "N",
      help: `list: how many (default and at most ${MAX_PAGE})`,
      validate: (text) =>
        /^[1-9]\d{0,3}$/.test(text) && Number(text) <= MAX_PAGE ? null : `not a number from 1 to ${MAX_PAGE}`,
    },
    { name: "adapter", value: "ADAPTER", help: "get: the harness" },
    { name: "idempotency-key", value: "KEY", help: "get: the key of the event" },
  ],
  examples: [
    {
      command: "heddle lifecycle receipt list --run SESSION",
      description: "What became of the events of a session",
    },
    {
      command: "heddle lifecycle receipt get --client-id audit --adapter codex --idempotency-key KEY",
      description: "What became of one event",
    },
  ],
  run: runReceipt,
};

async function runReceipt(args: ParsedArguments): Promise<number> {
  const [what] = args.operands;
  if (what !== "list" && what !== "get") throw new UsageError("expected list or get");
  const { ledger, close } = openLedger(args, { readOnly: true });
  try {
    return printJson(what === "list" ? await ledger.list(queryOf(args)) : await get(args, ledger));
  } finally {
    close();
  }
}

async function get(args: ParsedArguments, ledger: ReceiptLedger) {
  const scope = {
    client_id: requiredOption(args, "client-id"),
    adapter_id: requiredOption(args, "adapter"),
    idempotency_key: requiredOption(args, "idempotency-key"),
  };
  const found = await ledger.find(scope);
  if (found === null) throw new LifecycleFault(UNSUPPORTED, "not_found", scope);
  return found;
}

function queryOf(args: ParsedArguments) {
  const [runId, clientId, after] = ["run", "client-id", "after"].map((option) => args.value(option));
  return {
    ...(runId !== undefined && { runId }),
    ...(clientId !== undefined && { clientId }),
    ...(after !== undefined && { after }),
    limit: Number(args.value("limit") ?? MAX_PAGE),
  };
}

export function openLedger(
  args: ParsedArguments,
  { readOnly }: { readonly readOnly: boolean },
): OpenReceipts {
  const file = args.value("ledger") ?? receiptsOf(resolveHome(process.env, homedir()));
  if (readOnly && !existsSync(file))
    throw new Error(`there is no ledger ${file}: no event was dispatched yet`);
  return openReceipts(file, { readOnly });
}
