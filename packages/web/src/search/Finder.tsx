import { useMutation } from "@tanstack/react-query";
import { Search, SquareKanban, SquarePen } from "lucide";
import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { FROM_PAGE } from "../addresses.js";
import { boardAt } from "../board/followed.js";
import { failureOf } from "../client.js";
import { useOverlays } from "../frame/overlays.js";
import { Icon } from "../parts/Icon.js";
import { takeFocus } from "../parts/takeFocus.js";
import { texts } from "../texts/later.js";
import { type Action, type Maker, useActions } from "./useActions.js";
import { type FoundBoard, type FoundCard, useFound } from "./useFound.js";
import { partsOf, wordsOf } from "./words.js";

interface Props {
  text: string;
  setText: (text: string) => void;
  /** Is called before what was chosen is opened or done. */
  close: () => void;
  /** Stands behind the field. */
  children?: ReactNode;
}

/** The board at the address, if it is followed. */
function useBoardHere() {
  const [location] = useLocation();
  return boardAt(location);
}

/** Why the search failed, or what could not be made, and why. */
const reasonIn = (
  error: Error,
  { error: notMade, variables }: { error: Error | null; variables: Maker | undefined },
) => (notMade === null ? failureOf(error).text : texts.search.notMade(variables?.name ?? "", failureOf(notMade).text));

/** The field for cards, boards and actions, with what it finds. The arrow keys choose, Enter opens. */
export function Finder({ text, setText, close, children }: Props) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();
  const here = useBoardHere();
  const { openKeys } = useOverlays();
  const go = (address: string) => navigate(address);
  const { cards, boards, isAnswered, error: unfound } = useFound(text, here);
  const done = (run: () => void) => {
    close();
    run();
  };
  const making = useMutation({
    mutationFn: ({ make }: Maker) => make(),
    onSuccess: (address) => done(() => go(address)),
  });
  const error = making.error ?? unfound;
  const actions = useActions(text.trim(), here, { go, openKeys });
  const keys = [...cards, ...boards].map(({ publicId }) => publicId).concat(actions.map(({ name }) => name));
  const [chosen, setChosen] = useState<string | null>(null);
  const best = cards[0]?.publicId ?? boards[0]?.publicId ?? actions.find((action) => "run" in action)?.name ?? null;
  const active = keys.includes(chosen ?? "") ? chosen : best;
  const idOf = (key: string) => `${id}-${keys.indexOf(key)}`;
  const words = wordsOf(text);
  const count = isAnswered ? texts.search.found(cards.length, boards.length) : "";
  const note = text.trim() === "" ? "" : error === null ? count : reasonIn(error, making);
  const isNoteShown = note !== "" && (error !== null || cards.length + boards.length === 0);
  const optionOf = (key: string) => ({
    id: idOf(key),
    role: "option",
    "aria-selected": key === active,
    tabIndex: -1,
    className: key === active ? "item is-on" : "item",
    onPointerMove: () => setChosen(key),
  });
  const act = (action: Action) => {
    if ("run" in action) done(action.run);
    else if (!making.isPending) making.mutate(action);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && keys.length > 0) {
      event.preventDefault();
      const at = keys.indexOf(active ?? "");
      const next = keys.at(at < 0 && step < 0 ? -1 : (at + step) % keys.length) ?? null;
      setChosen(next);
      if (next !== null)
        list.current?.querySelector(`#${CSS.escape(idOf(next))}`)?.scrollIntoView({ block: "nearest" });
    }
    if (event.key !== "Enter" || active === null) return;
    event.preventDefault();
    list.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.click();
  };
  return (
    <>
      <div className="palette-in">
        <Icon of={Search} />
        <input
          ref={takeFocus}
          type="text"
          role="combobox"
          aria-expanded={keys.length > 0}
          aria-autocomplete="list"
          aria-controls={`${id}-found`}
          aria-activedescendant={active === null ? undefined : idOf(active)}
          aria-label={texts.search.field}
          placeholder={texts.search.field}
          value={text}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            setChosen(null);
            making.reset();
          }}
          onKeyDown={onKeyDown}
        />
        {children}
      </div>
      <div className="palette-list" id={`${id}-found`} role="listbox" aria-label={texts.search.results} ref={list}>
        <Group name={texts.search.cards} count={cards.length}>
          {cards.map((card) => (
            <CardOption key={card.publicId} card={card} words={words} option={optionOf(card.publicId)} close={close} />
          ))}
        </Group>
        <Group name={texts.search.boards} count={boards.length}>
          {boards.map((board) => (
            <BoardOption
              key={board.publicId}
              board={board}
              words={words}
              option={optionOf(board.publicId)}
              close={close}
            />
          ))}
        </Group>
        <Group name={texts.search.actions} count={actions.length}>
          {actions.map((action) => (
            <ActionOption key={action.name} action={action} option={optionOf(action.name)} act={act} />
          ))}
        </Group>
      </div>
      <p className={isNoteShown ? "palette-note" : "sr"} role="status">
        {note}
      </p>
    </>
  );
}

function Group({ name, count, children }: { name: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options is no fieldset
    <div role="group" aria-label={name}>
      <h2 role="presentation">{name}</h2>
      {children}
    </div>
  );
}

interface Option {
  option: Record<string, unknown>;
  close: () => void;
}

/** A click without a key that opens it elsewhere. */
const isPlain = (event: MouseEvent) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

function CardOption({ card, words, option, close }: Option & { card: FoundCard; words: readonly string[] }) {
  return (
    <Link href={`/cards/${card.publicId}`} state={FROM_PAGE} {...option} onClick={(event) => isPlain(event) && close()}>
      <Icon of={SquarePen} />
      <span className="key">{card.key}</span>
      <Marked text={card.title} words={words} />
      <span className="sub truncate wide" dir="auto">
        {card.boardName}
      </span>
    </Link>
  );
}

function BoardOption({ board, words, option, close }: Option & { board: FoundBoard; words: readonly string[] }) {
  return (
    <Link href={`/boards/${board.publicId}`} {...option} onClick={(event) => isPlain(event) && close()}>
      <Icon of={SquareKanban} />
      <Marked text={board.name} words={words} />
      <span className="sub truncate wide" dir="auto">
        {board.workspaceName}
      </span>
    </Link>
  );
}

function ActionOption({ action, option, act }: Pick<Option, "option"> & { action: Action; act(action: Action): void }) {
  return (
    <button type="button" {...option} onClick={() => act(action)}>
      <Icon of={action.icon} />
      <span className="grow truncate" dir="auto">
        {action.name}
      </span>
      {action.key !== undefined && (
        <span className="keys" aria-hidden="true">
          <kbd>{action.key}</kbd>
        </span>
      )}
    </button>
  );
}

function Marked({ text, words }: { text: string; words: readonly string[] }) {
  return (
    <span className="grow truncate" dir="auto">
      {partsOf(text, words).map((part, index) =>
        index % 2 === 1 ? <mark key={index}>{part}</mark> : <span key={index}>{part}</span>,
      )}
    </span>
  );
}
