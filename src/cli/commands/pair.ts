import { randomBytes } from "node:crypto";
import { systemClock } from "../../base/clock.ts";
import { makePairCode, pairPath } from "../../runtime/access/pair-codes.ts";
import { showDevice } from "../../runtime/access/show-device.ts";
import { orThrow } from "../../runtime/configuration/thread-refusal.ts";
import { isUsable, type StoredDevice } from "../../store/devices.ts";
import { type Command, type CommandEntry, declareCommand, UsageError } from "../command-line/command.ts";
import { globalOptions, jsonOption } from "../command-line/options.ts";
import { clip } from "../command-line/terminal-text.ts";
import { withHome } from "../home/open-home.ts";
import { noteAbout, pairOptions, readAddress, readGrant, SCOPE_DETAILS } from "../pair/pair-options.ts";

const MAX_SHOWN_NAME = 40;

const list: CommandEntry = declareCommand({
  name: "list",
  summary: "Print the paired devices, the newest first",
  options: [jsonOption, ...globalOptions],
  examples: [{ command: "heddle pair list", description: "Who may connect, and when they were last seen" }],
  run: (args, chain) =>
    withHome(chain, async ({ store }) => {
      const devices = await store.devices.list();
      const text = args.flag("json")
        ? `${JSON.stringify({ data: devices.map(showDevice) }, null, 2)}\n`
        : devices.map(renderDevice).join("");
      process.stdout.write(text);
      return 0;
    }),
});

const revoke: CommandEntry = declareCommand({
  name: "revoke",
  summary: "Revoke a device; running servers disconnect it within seconds",
  operands: "<ID|NAME>",
  options: [jsonOption, ...globalOptions],
  examples: [{ command: "heddle pair revoke phone", description: "By its name, if only one has it" }],
  run: (args, chain) =>
    withHome(chain, async ({ store }) => {
      const [wanted = ""] = args.operands;
      const device = findDevice(await store.devices.list(), wanted);
      const revoked = await store.devices.revoke(device.deviceId);
      if (revoked === null) throw new Error(`there is no device ${wanted}`);
      process.stdout.write(
        args.flag("json")
          ? `${JSON.stringify(showDevice(revoked))}\n`
          : `revoked: ${revoked.name} (${revoked.deviceId})\n`,
      );
      return 0;
    }),
});

export const pair: Command = {
  details: `Prints an address and a QR code that pair one browser or phone with this home, once and within ten minutes. ${SCOPE_DETAILS}`,
  options: [...pairOptions, jsonOption, ...globalOptions],
  subcommands: [list, revoke],
  examples: [
    {
      command: "heddle pair --name phone --url https://heddle.example",
      description: "A phone that may read, answer and operate",
    },
    {
      command: "heddle pair --scope read,answer --expires 30d",
      description: "Only for questions, for a month",
    },
  ],
  run: (args, chain) =>
    withHome(chain, async ({ store, values }) => {
      if (args.operands.length > 0) throw new UsageError(`unexpected argument '${args.operands[0]}'`);
      const { devices } = store;
      const grant = readGrant(args);
      const made = orThrow(await makePairCode(grant, { devices, clock: systemClock, randomBytes }));
      const url = readAddress(args) + pairPath(made.code);
      if (args.flag("json")) {
        process.stdout.write(`${JSON.stringify({ url, expiresAt: Math.floor(made.expiresAtMs / 1000) })}\n`);
        return 0;
      }
      if (values.access.threads === "own" && grant.subject === null && !grant.scopes.includes("admin"))
        process.stderr.write(`Note: ${NO_OWN_THREADS}\n`);
      const { renderUnicodeCompact } = await import("uqr");
      const note = noteAbout(url);
      process.stdout.write(`${renderUnicodeCompact(url)}\n\nOpen within ten minutes: ${url}\n`);
      if (note !== null) process.stderr.write(`Note: ${note}\n`);
      return 0;
    }),
};

const NO_OWN_THREADS =
  'access.threads is "own", and a device without a subject has no threads: name its user with --subject';

function findDevice(devices: readonly StoredDevice[], wanted: string): StoredDevice {
  const byId = devices.find(({ deviceId }) => deviceId === wanted);
  if (byId !== undefined) return byId;
  const [device, second] = devices.filter(({ name, revokedAtMs }) => name === wanted && revokedAtMs === null);
  if (device === undefined) throw new Error(`there is no device ${wanted}; heddle pair list shows them`);
  if (second !== undefined) throw new Error(`several devices are named ${wanted}; name the id of one`);
  return device;
}

function renderDevice(device: StoredDevice): string {
  const { deviceId, name, scopes, lastSeenAtMs, revokedAtMs } = device;
  const seen = lastSeenAtMs === null ? "never seen" : `seen ${new Date(lastSeenAtMs).toISOString()}`;
  const state = revokedAtMs !== null ? "revoked" : isUsable(device, systemClock.now()) ? seen : "expired";
  return `${deviceId}  ${clip(name, MAX_SHOWN_NAME)}  ${scopes.join(",")}  ${state}\n`;
}
