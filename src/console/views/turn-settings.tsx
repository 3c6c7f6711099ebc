/** Model, effort and policy of the next turns. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Model, TurnStartParams } from "../../protocol/generated/types.ts";
import { guard } from "../state/rights.ts";
import { client } from "../state/server.ts";
import { findThreadRow } from "../state/threads.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";

type Overrides = Pick<TurnStartParams, "model" | "effort" | "approvalPolicy">;

export interface TurnSettingsState {
  readonly chosen: Overrides;
  readonly current: { readonly model: string | null; readonly effort: string | null };
  choose(overrides: Overrides): void;
  /** The members of `turn/start` that differ from those of the thread. */
  overrides(): Overrides;
}

const models = signal<readonly Model[] | null>(null);
const POLICIES = ["untrusted", "on-request", "never"] as const;

export function useTurnSettings(threadId: string): TurnSettingsState {
  const [chosen, choose] = useState<Overrides>({});
  const row = findThreadRow(threadId);
  return {
    chosen,
    current: { model: row?.model ?? null, effort: row?.reasoningEffort ?? null },
    choose: (overrides) => choose({ ...chosen, ...overrides }),
    overrides: () => chosen,
  };
}

export function TurnSettings({ settings }: { settings: TurnSettingsState }) {
  const [isOpen, open] = useState(false);
  const { chosen, current } = settings;
  const words = [chosen.model ?? current.model, chosen.effort ?? current.effort, policyOf(chosen)]
    .filter((part) => part != null && part !== "")
    .join(" · ");
  return (
    <>
      <button
        class="btn plain desk clip"
        type="button"
        {...guard("turn/start")}
        onClick={() => {
          open(true);
          void loadModels();
        }}
      >
        <span class="sr">Model, effort, policy: </span>
        <span class="clip">{words === "" ? "Settings" : words}</span>
        <Icon name="down" />
      </button>
      {isOpen && (
        <Dialog title="Settings of the next turn" onClose={() => open(false)}>
          <SettingsFields settings={settings} />
          <p class="small dim">They stay in force for later turns of this thread.</p>
          <div class="row">
            <button class="btn primary" type="button" onClick={() => open(false)}>
              Done
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

const policyOf = ({ approvalPolicy }: Overrides): string =>
  typeof approvalPolicy === "string" ? approvalPolicy : "";

async function loadModels(): Promise<void> {
  if (models.peek() !== null) return;
  try {
    models.value = (await client.peek()?.request("model/list", {}))?.data ?? [];
  } catch {
    models.value = [];
  }
}

function SettingsFields({ settings: { chosen, current, choose } }: { settings: TurnSettingsState }) {
  const known = models.value ?? [];
  const model = chosen.model ?? current.model ?? "";
  const efforts = known.find((each) => each.model === model)?.supportedReasoningEfforts ?? [];
  const names = new Set([...(model === "" ? [] : [model]), ...known.map((each) => each.model)]);
  return (
    <>
      <label class="stack tight">
        Model
        <select
          class="field wide"
          value={model}
          onChange={(event) => choose({ model: event.currentTarget.value })}
        >
          {[...names].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {efforts.length > 0 && (
        <label class="stack tight">
          Effort
          <select
            class="field wide"
            value={chosen.effort ?? current.effort ?? ""}
            onChange={(event) => choose({ effort: event.currentTarget.value })}
          >
            <option value="">As configured</option>
            {efforts.map(({ reasoningEffort }) => (
              <option key={reasoningEffort}>{reasoningEffort}</option>
            ))}
          </select>
        </label>
      )}
      <label class="stack tight">
        Approval policy
        <select
          class="field wide"
          value={policyOf(chosen)}
          onChange={(event) => {
            const policy = POLICIES.find((each) => each === event.currentTarget.value);
            if (policy !== undefined) choose({ approvalPolicy: policy });
          }}
        >
          <option value="">As it is</option>
          {POLICIES.map((policy) => (
            <option key={policy}>{policy}</option>
          ))}
        </select>
      </label>
    </>
  );
}
