// Labels and people of several cards: each is on all of them, on some, or on none.

import type { CardState } from "work-board-client/board";
import { texts } from "../../texts/later.js";
import { Options, useLabelOptions, usePersonOptions } from "../options.js";

interface Props {
  cards: readonly CardState[];
  toggle: (publicId: string, isOn: boolean) => void;
}

const stateAmong = (count: number, all: number) => (count === 0 ? false : count === all || "mixed");

export function Labels({ cards, toggle }: Props) {
  const countOn = (id: string) => cards.filter(({ labelIds }) => labelIds.includes(id)).length;
  return (
    <Options
      find={texts.pickers.findLabel}
      options={useLabelOptions()}
      isOn={(id) => stateAmong(countOn(id), cards.length)}
      toggle={toggle}
    />
  );
}

export function People({ cards, toggle }: Props) {
  const countOn = (id: string) => cards.filter(({ members }) => members.some(({ publicId }) => publicId === id)).length;
  return (
    <Options
      find={texts.pickers.findPerson}
      options={usePersonOptions()}
      isOn={(id) => stateAmong(countOn(id), cards.length)}
      toggle={toggle}
    />
  );
}
