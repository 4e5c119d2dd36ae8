// Search at its own address, with the query in it. Loaded when it is first shown.

import { useEffect } from "react";
import { useLocation, useSearchParams } from "wouter";
import { Page } from "../frame/Frame.js";
import { texts } from "../texts/later.js";
import { Finder } from "./Finder.js";
import * as styles from "./Search.module.css";
import { useFound } from "./useFound.js";

/** `query` is looked for; with `jump`, the card with that number is opened if there is one. */
export default function SearchPage() {
  const [params, setParams] = useSearchParams();
  const jump = params.get("jump");
  const text = params.get("query") ?? jump ?? "";
  return (
    <Page heading={texts.search.page}>
      <div className={styles.page}>
        {jump !== null && <Jump to={jump} />}
        <Finder
          text={text}
          setText={(query) => setParams(query === "" ? {} : { query }, { replace: true })}
          close={() => {}}
        />
      </div>
    </Page>
  );
}

/** Opens the card that a number names. */
function Jump({ to }: { to: string }) {
  const [, navigate] = useLocation();
  const { cards } = useFound(to, undefined);
  const card = cards.find(({ key }) => key === to.toUpperCase());
  useEffect(() => {
    if (card !== undefined) navigate(`/cards/${card.publicId}`, { replace: true, state: history.state });
  }, [card, navigate]);
  return null;
}
