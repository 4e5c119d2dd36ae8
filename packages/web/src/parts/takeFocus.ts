/** A ref with which a field takes the focus when it appears, and not again with each rendering. */
export const takeFocus = (field: HTMLElement | null): void => field?.focus();
