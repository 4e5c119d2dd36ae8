import { Plus } from "lucide";
import { type FormEvent, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { announce } from "../parts/announce.js";
import { Icon } from "../parts/Icon.js";
import { NAME_MAX } from "../parts/limits.js";
import { takeFocus } from "../parts/takeFocus.js";
import { t } from "../texts/index.js";
import { useBoardState, useChange, useShownBoard } from "./context.js";
import * as styles from "./List.module.css";

/** Adds lists: Enter adds one and keeps the field for the next. */
export function NewList() {
  const [isOpen, setOpen] = useState(false);
  const boardPublicId = useBoardState((board) => board.publicId);
  const change = useChange();
  const count = useBoardState(({ lists }) => lists.length);
  const { addListButton: button } = useShownBoard().open;
  const form = useRef<HTMLFormElement>(null);
  // Each new list pushes the field on.
  useLayoutEffect(() => {
    if (isOpen && count > 0) form.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isOpen, count]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name")).trim();
    event.currentTarget.reset();
    if (name === "") return;
    change("board.lists.create", { boardPublicId, name });
    announce(t.board.added([name], t.moving.listPlace(count + 1, count + 1)));
  };
  return (
    <div className={styles.new}>
      {!isOpen && (
        <button ref={button} type="button" className="add" onClick={() => setOpen(true)}>
          <Icon of={Plus} />
          <span>{t.board.addList}</span>
        </button>
      )}
      {isOpen && (
        <form
          ref={form}
          onSubmit={submit}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key !== "Escape") return;
            flushSync(() => setOpen(false));
            button.current?.focus();
          }}
        >
          <input
            ref={takeFocus}
            className="input"
            name="name"
            aria-label={t.board.nameOfList}
            placeholder={t.board.nameOfList}
            maxLength={NAME_MAX}
            autoComplete="off"
            onBlur={({ currentTarget }) => {
              if (currentTarget.value.trim() === "") setOpen(false);
            }}
          />
        </form>
      )}
    </div>
  );
}
