const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The cap of the key that is held for commands. */
export const ctrl = isMac ? "⌘" : "Ctrl";

export const capOf = (key: string): string => (key === "Ctrl" ? ctrl : key);
