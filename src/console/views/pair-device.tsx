/** Pairs a device: what it may do, then the address that it opens once. */
import { useEffect, useState } from "preact/hooks";
import type { AccessScope } from "../../protocol/generated/types.ts";
import { pairDevice } from "../state/devices.ts";
import { client, now } from "../state/server.ts";
import { qrPath } from "../text/qr-path.ts";
import { clockTime } from "../text/time.ts";
import { canCopy, copyText } from "../ui/copy-text.ts";
import { Dialog, FormDialog } from "../ui/dialog.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";
import { ChoiceField, TextField } from "../ui/fields.tsx";
import { Note } from "../ui/note.tsx";

const SCOPES: readonly (readonly [AccessScope, string])[] = [
  ["read", "See threads, questions and settings"],
  ["answer", "Answer questions"],
  ["operate", "Start and stop turns, change queues"],
  ["admin", "Change the configuration, trust hooks, pair devices"],
];
const DEFAULT_SCOPES: readonly AccessScope[] = ["read", "answer", "operate"];
const DAY = 24 * 60 * 60;
const LIFETIMES = [
  ["", "Never"],
  [String(DAY), "In a day"],
  [String(30 * DAY), "In 30 days"],
  [String(365 * DAY), "In a year"],
] as const;

type Made = Awaited<ReturnType<typeof pairDevice>>;

export function PairDevice() {
  const [made, setMade] = useState<Made | null>(null);
  return (
    <>
      <DialogButton name="Pair a device" method="device/pair">
        {(close) => <PairForm onMade={setMade} onClose={close} />}
      </DialogButton>
      {made !== null && <PairAddress made={made} onClose={() => setMade(null)} />}
    </>
  );
}

function PairForm({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [subject, setSubject] = useState("");
  const [scopes, setScopes] = useState<readonly AccessScope[]>(DEFAULT_SCOPES);
  const [lifetime, setLifetime] = useState("");
  async function make(): Promise<void> {
    const current = client.peek();
    if (current === null) throw new Error("There is no connection to the server.");
    if (scopes.length === 0) throw new Error("Choose what the device may do.");
    const params = {
      name: name.trim(),
      subject: subject.trim() === "" ? null : subject.trim(),
      scopes: [...scopes],
      expiresInSeconds: lifetime === "" ? null : Number(lifetime),
    };
    onMade(await pairDevice(current, params));
  }
  return (
    <FormDialog title="Pair a device" submit="Make the address" onSubmit={make} onClose={onClose}>
      <TextField label="Name of the device" value={name} onValue={setName} isRequired />
      <TextField
        label="Person who uses it"
        hint="Nothing for yourself"
        value={subject}
        onValue={setSubject}
      />
      <fieldset class="ask-field">
        <legend>It may</legend>
        {SCOPES.map(([scope, does]) => (
          <label key={scope} class="choice">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                setScopes(checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
              }
            />
            <span>
              {does} <span class="dimmer">({scope})</span>
            </span>
          </label>
        ))}
      </fieldset>
      <ChoiceField label="Expires" value={lifetime} onValue={setLifetime} choices={LIFETIMES} />
    </FormDialog>
  );
}

function PairAddress({ made: { url, expiresAt }, onClose }: { made: Made; onClose: () => void }) {
  return (
    <Dialog title="Open this address on the device" onClose={onClose}>
      <div class="row wrap pairing">
        <QrCode text={url} />
        <div class="stack grow">
          <p>
            It works once, until {clockTime(expiresAt, now.value)}. Who has it may do what you chose: show it
            to nobody else.
          </p>
          {isLoopback(location.hostname) && (
            <Note tone="warn">
              This page was opened under an address of this machine, so that the address does not work on
              another one. Open the console under the name of the machine, or run{" "}
              <code>heddle pair --url</code>.
            </Note>
          )}
          <code class="cmd wraps" dir="ltr">
            {url}
          </code>
          <div class="row">
            {canCopy() && (
              <button class="btn" type="button" onClick={() => copyText(url, "The address")}>
                Copy the address
              </button>
            )}
            <button class="btn" type="button" onClick={onClose}>
              Done
            </button>
          </div>
        </div>
      </div>
    </Dialog>
  );
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || host.startsWith("127.");

interface Qr {
  readonly size: number;
  readonly path: string;
}

function QrCode({ text }: { text: string }) {
  const [qr, setQr] = useState<Qr | null>(null);
  useEffect(() => {
    void import("uqr").then(({ encode }) => {
      const { size, data } = encode(text, { border: 2 });
      setQr({ size, path: qrPath(data) });
    });
  }, [text]);
  if (qr === null) return <span class="qr" />;
  return (
    <svg class="qr" viewBox={`0 0 ${qr.size} ${qr.size}`} role="img" aria-label="QR code of the address">
      <rect width={qr.size} height={qr.size} fill="#fff" />
      <path d={qr.path} fill="#000" />
    </svg>
  );
}
