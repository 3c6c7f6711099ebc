/** What is open over the page. */
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
