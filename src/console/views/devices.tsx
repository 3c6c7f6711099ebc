/** The devices that may call this server. */
import { useEffect } from "preact/hooks";
import type { Device } from "../../protocol/generated/types.ts";
import { devices, followDevices, revokeDevice } from "../state/devices.ts";
import { missingScope } from "../state/rights.ts";
import { now } from "../state/server.ts";
import { ageOf, clockTime } from "../text/time.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Card, Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { PairDevice } from "./pair-device.tsx";

const COLUMNS = [
  { name: "Device" },
  { name: "Person" },
  { name: "May" },
  { name: "Last seen" },
  { name: "Expires" },
  { name: "Actions", isQuiet: true },
];

export function Devices() {
  useEffect(followDevices, []);
  const lack = missingScope("device/list");
  const usable = devices.data.value?.filter(({ revokedAt }) => revokedAt === null) ?? [];
  return (
    <Card
      title="Paired devices"
      aside={
        <>
          {devices.data.value !== null && <span class="small dimmer">{usable.length}</span>}
          <span class="grow" />
          <PairDevice />
        </>
      }
    >
      {lack !== null && <p class="in dim">{lack}</p>}
      {lack === null && <LoadedState loaded={devices} rows={2} />}
      {lack === null && devices.data.value !== null && usable.length === 0 && (
        <p class="in dim">
          No device is paired. A paired phone or browser reaches this server without a token.
        </p>
      )}
      {usable.length > 0 && (
        <Table label="Paired devices" columns={COLUMNS}>
          {usable.map((device) => (
            <DeviceLine key={device.id} device={device} />
          ))}
        </Table>
      )}
    </Card>
  );
}

function DeviceLine({ device }: { device: Device }) {
  const { id, name, subject, scopes, lastSeenAt, expiresAt } = device;
  const isExpired = expiresAt !== null && expiresAt * 1000 <= now.value;
  return (
    <tr>
      <td data-label="Device">
        <bdi class="wraps">{name}</bdi>
      </td>
      <td data-label="Person">{subject === null ? <span class="dimmer">–</span> : <bdi>{subject}</bdi>}</td>
      <td data-label="May">
        <span class="row wrap tight">
          {scopes.map((scope) => (
            <Chip key={scope} words={scope} />
          ))}
        </span>
      </td>
      <td data-label="Last seen">{lastSeenAt === null ? "never" : agoText(ageOf(lastSeenAt, now.value))}</td>
      <td data-label="Expires">
        {expiresAt === null ? (
          "never"
        ) : isExpired ? (
          <Chip words="expired" tone="warn" icon="clock" />
        ) : (
          clockTime(expiresAt, now.value)
        )}
      </td>
      <td class="act">
        <div>
          <ActButton
            method="device/revoke"
            class="danger"
            asks="Really revoke?"
            done={`${name} is revoked`}
            act={(client) => revokeDevice(client, id)}
          >
            Revoke<span class="sr"> {name}</span>
          </ActButton>
        </div>
      </td>
    </tr>
  );
}

const agoText = (age: string): string => (age === "now" ? age : `${age} ago`);
