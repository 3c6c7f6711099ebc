/** The dialogs that several parts of the page open. */
import { signal } from "@preact/signals";

export const isPaletteOpen = signal(false);
export const openPalette = (): void => {
  isPaletteOpen.value = true;
};

export const isKeyHelpOpen = signal(false);
export const openKeyHelp = (): void => {
  isKeyHelpOpen.value = true;
};

export const isNewThreadOpen = signal(false);
