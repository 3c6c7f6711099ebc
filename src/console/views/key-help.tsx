/** All keys, from the table that recognises them. */
import { VIEWS } from "../state/router.ts";
import { keysOfView, VIEW_NAMES } from "../state/view-names.ts";
import { Dialog } from "../ui/dialog.tsx";
import { describeKeys, KEY_GROUPS } from "../ui/key-table.ts";
import { hasLetterKeys, setLetterKeys } from "../ui/keys.ts";

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="All keys" onClose={onClose}>
      <label class="choice">
        <input
          type="checkbox"
          checked={hasLetterKeys.value}
          onChange={(event) => setLetterKeys(event.currentTarget.checked)}
        />
        <span>Keys of a single letter or sign are on</span>
      </label>
      <div class="key-groups">
        {KEY_GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl class="keys">
              {describeKeys(group).map((row) => (
                <Row key={row.keys} {...row} />
              ))}
              {group === "Anywhere" &&
                VIEWS.map((view) => <Row key={view} keys={keysOfView(view)} does={VIEW_NAMES[view].name} />)}
            </dl>
          </section>
        ))}
      </div>
      <div class="row">
        <button class="btn" type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Row({ keys, does }: { keys: string; does: string }) {
  return (
    <>
      <dt>
        <kbd>{keys}</kbd>
      </dt>
      <dd>{does}</dd>
    </>
  );
}
