import { signal } from "@preact/signals";

export const isPaletteOpen = signal(false);
export const openPalette = (): void => {
  isPaletteOpen.value = true;
};
