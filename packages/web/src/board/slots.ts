// The parts of features above the board that it shows. The routes provide them.

import { type ComponentType, createContext, useContext } from "react";
import type { LazyComponent } from "../parts/lazyComponent.js";

/** The properties of a card that are picked on the board. */
export type PickedProperty = "labels" | "people" | "dueDate";

export interface PickerProps {
  cardPublicId: string;
  property: PickedProperty;
  close: () => void;
}

interface Slots {
  /** A card over the board. */
  CardDialog: LazyComponent<{ cardPublicId: string }>;
  /** The picker of a property beside its card. */
  CardPicker: LazyComponent<PickerProps>;
  /** Opens the dialog that shares the board. */
  ShareButton: ComponentType;
}

export const SlotsContext = createContext<Slots | null>(null);

export function useSlots(): Slots {
  const slots = useContext(SlotsContext);
  if (slots === null) throw new Error("No slots are provided here");
  return slots;
}
