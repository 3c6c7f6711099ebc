/** The limits of paired devices; docs/limits.md lists them. */

export const MAX_DEVICES = 256;
export const MAX_PAIR_CODES = 64;
/** How long the code of `heddle pair` is valid. */
export const PAIR_CODE_MS = 10 * 60_000;
/** How long the ticket that `heddle serve` prints is valid. */
export const CONSOLE_TICKET_MS = 5 * 60_000;
/** How long a browser that was signed in by such a ticket stays so. */
export const BROWSER_LIFETIME_MS = 30 * 24 * 3_600_000;
export const MAX_DEVICE_NAME = 100;
export const MAX_LIFETIME_MS = 400 * 24 * 3_600_000;
/** How often the use of a device is recorded. */
export const TOUCH_MS = 60_000;
/** How often a server looks whether other processes have revoked a device that is connected. */
export const REVOCATION_POLL_MS = 2000;
