import { Autocomplete } from "@base-ui/react/autocomplete";
import { useMutation } from "@tanstack/react-query";
import { Search, SquareKanban, SquarePen } from "lucide";
import { type MouseEvent, type ReactNode, useLayoutEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { FROM_PAGE } from "../addresses.js";
import { followedBoardAt } from "../board/followed.js";
import { failureOf } from "../client.js";
import { useOverlays } from "../frame/overlays.js";
import { Icon } from "../parts/Icon.js";
import { takeFocus } from "../parts/takeFocus.js";
import { texts } from "../texts/later.js";
import * as styles from "./Search.module.css";
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
  return followedBoardAt(location);
}

/** Whether a value has just turned: for one rendering, which is not painted. */
function useHasTurned(value: boolean): boolean {
  const [before, setBefore] = useState(value);
  useLayoutEffect(() => setBefore(value), [value]);
  return before !== value;
}

/** The field for cards, boards and actions, with what it finds. The arrow keys choose, Enter opens. */
export function Finder({ text, setText, close, children }: Props) {
  const [, navigate] = useLocation();
  const here = useBoardHere();
  const { openKeys } = useOverlays();
  const found = useFound(text, here);
  const { cards, boards } = found;
  const done = (run: () => void) => {
    close();
    run();
  };
  const making = useMutation({
    mutationFn: ({ make }: Maker) => make(),
    onSuccess: (address) => done(() => navigate(address)),
  });
  const actions = useActions(text.trim(), here, { go: navigate, openKeys });
  // Enter alone makes nothing: without anything else, no option is the active one.
  const hasBest = cards.length + boards.length > 0 || actions.some((action) => "run" in action);
  // Only an empty list forgets which option was active.
  const hasTurned = useHasTurned(hasBest);
  const act = (action: Action) => {
    if ("run" in action) done(action.run);
    else if (!making.isPending) making.mutate(action);
  };
  return (
    <Autocomplete.Root
      inline
      open
      mode="none"
      items={hasTurned ? [] : [...cards, ...boards, ...actions]}
      // At first the field says its own name.
      autoHighlight={text !== "" && hasBest && "always"}
      keepHighlight
      value={text}
      onValueChange={(next, { reason }) => {
        if (reason !== "input-change") return;
        setText(next);
        making.reset();
      }}
    >
      <div className={styles.field}>
        <Icon of={Search} />
        <Autocomplete.Input
          ref={takeFocus}
          type="text"
          aria-label={texts.search.field}
          placeholder={texts.search.field}
          maxLength={200}
        />
        {children}
      </div>
      <Autocomplete.List className={styles.list} aria-label={texts.search.results}>
        {!hasTurned && (
          <Results cards={cards} boards={boards} actions={actions} words={wordsOf(text)} close={close} act={act} />
        )}
      </Autocomplete.List>
      <Note text={text} found={found} making={making} />
    </Autocomplete.Root>
  );
}

interface NoteProps {
  text: string;
  found: ReturnType<typeof useFound>;
  /** Makes what was chosen. */
  making: { error: Error | null; variables: Maker | undefined };
}

/** The number of results; or why the search failed, or what could not be made, and why. */
function Note({ text, found: { cards, boards, isAnswered, error: unfound }, making: { error, variables } }: NoteProps) {
  const count = isAnswered ? texts.search.found(cards.length, boards.length) : "";
  const reason = (error ?? unfound) && failureOf(error ?? unfound).text;
  const said = error === null ? (reason ?? count) : texts.search.notMade(variables?.name ?? "", reason ?? "");
  const note = text.trim() === "" ? "" : said;
  const isShown = note !== "" && (reason !== null || cards.length + boards.length === 0);
  return (
    <p className={isShown ? styles.note : "sr"} role="status">
      {note}
    </p>
  );
}

interface ResultsProps {
  cards: readonly FoundCard[];
  boards: readonly FoundBoard[];
  actions: readonly Action[];
  words: readonly string[];
  close: () => void;
  act: (action: Action) => void;
}

const Results = ({ cards, boards, actions, words, close, act }: ResultsProps) => (
  <>
    <Group name={texts.search.cards} count={cards.length}>
      {cards.map((card) => (
        <CardOption key={card.publicId} card={card} words={words} close={close} />
      ))}
    </Group>
    <Group name={texts.search.boards} count={boards.length}>
      {boards.map((board) => (
        <BoardOption key={board.publicId} board={board} words={words} close={close} />
      ))}
    </Group>
    <Group name={texts.search.actions} count={actions.length}>
      {actions.map((action) => (
        <ActionOption key={action.name} action={action} act={act} />
      ))}
    </Group>
  </>
);

const Group = ({ name, count, children }: { name: string; count: number; children: ReactNode }) =>
  count > 0 && (
    <Autocomplete.Group aria-label={name}>
      <h2 role="presentation">{name}</h2>
      {children}
    </Autocomplete.Group>
  );

/** A click without a key that opens it elsewhere. */
const isPlain = (event: MouseEvent) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

/** The look and state of an option. The focus stays in the field. */
const optionProps = (highlighted: boolean) => ({
  className: highlighted ? "item is-on" : "item",
  "aria-selected": highlighted,
  tabIndex: -1,
});

interface Option {
  words: readonly string[];
  close: () => void;
}

const CardOption = ({ card, words, close }: Option & { card: FoundCard }) => (
  <Autocomplete.Item
    value={card}
    render={(props, { highlighted }) => (
      <Link {...props} {...optionProps(highlighted)} href={`/cards/${card.publicId}`} state={FROM_PAGE} />
    )}
    onClick={(event) => isPlain(event) && close()}
  >
    <Icon of={SquarePen} />
    <span className="key">{card.key}</span>
    <Marked text={card.title} words={words} />
    <span className="sub truncate wide" dir="auto">
      {card.boardName}
    </span>
  </Autocomplete.Item>
);

const BoardOption = ({ board, words, close }: Option & { board: FoundBoard }) => (
  <Autocomplete.Item
    value={board}
    render={(props, { highlighted }) => (
      <Link {...props} {...optionProps(highlighted)} href={`/boards/${board.publicId}`} />
    )}
    onClick={(event) => isPlain(event) && close()}
  >
    <Icon of={SquareKanban} />
    <Marked text={board.name} words={words} />
    <span className="sub truncate wide" dir="auto">
      {board.workspaceName}
    </span>
  </Autocomplete.Item>
);

const ActionOption = ({ action, act }: { action: Action; act: (action: Action) => void }) => (
  <Autocomplete.Item
    value={action}
    nativeButton
    render={(props, { highlighted }) => <button {...props} {...optionProps(highlighted)} type="button" />}
    onClick={() => act(action)}
  >
    <Icon of={action.icon} />
    <span className="grow truncate" dir="auto">
      {action.name}
    </span>
    {action.key !== undefined && (
      <span className="keys" aria-hidden="true">
        <kbd>{action.key}</kbd>
      </span>
    )}
  </Autocomplete.Item>
);

function Marked({ text, words }: { text: string; words: readonly string[] }) {
  return (
    <span className="grow truncate" dir="auto">
      {partsOf(text, words).map((part, index) =>
        index % 2 === 1 ? <mark key={index}>{part}</mark> : <span key={index}>{part}</span>,
      )}
    </span>
  );
}
