import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../client.js";
import { Reason } from "../parts/Reason.js";
import { RowText } from "../parts/RowText.js";
import { RunButton } from "../parts/RunButton.js";
import { Section } from "../parts/Section.js";
import { TryAgain } from "../parts/TryAgain.js";
import { shortTime } from "../parts/times.js";
import { texts } from "../texts/later.js";
import { browserIn } from "./browsers.js";
import { readAgain, sessions } from "./queries.js";

/** The sessions of the reader. */
export function Sessions() {
  const text = texts.account.security;
  const all = useQuery(sessions);
  const { data = [] } = all;
  const end = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const sessionPublicId of ids) await client.user.sessions.revoke.mutate({ sessionPublicId });
    },
    onSettled: () => readAgain(sessions),
  });
  const others = data.filter(({ isCurrent }) => !isCurrent).map(({ publicId }) => publicId);
  return (
    <Section heading={text.sessions} count={all.data && String(data.length)}>
      <div className="stack-8">
        <TryAgain of={all} />
        <ul className="rows" aria-label={text.sessions}>
          {data.map(({ publicId, userAgent, createdAt, lastUsedAt, isCurrent }) => {
            const browser = browserIn(userAgent) ?? text.unknownBrowser;
            const now = new Date();
            const since = text.since(shortTime(createdAt, now));
            return (
              <li className="line tall" key={publicId}>
                <RowText
                  text={browser}
                  hint={
                    isCurrent || lastUsedAt === null ? since : `${since}, ${text.lastUsed(shortTime(lastUsedAt, now))}`
                  }
                />
                {isCurrent ? (
                  <span className="chip outline">{text.thisBrowser}</span>
                ) : (
                  <RunButton of={end} run={() => end.mutate([publicId])} name={text.endOf(browser)}>
                    {text.end}
                  </RunButton>
                )}
              </li>
            );
          })}
        </ul>
        <Reason of={end.error} />
        {others.length > 0 && (
          <RunButton of={end} run={() => end.mutate(others)}>
            {text.endOthers}
          </RunButton>
        )}
      </div>
    </Section>
  );
}
