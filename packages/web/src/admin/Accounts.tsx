import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Choice } from "../parts/Choice.js";
import { More } from "../parts/More.js";
import { Section } from "../parts/Section.js";
import { TryAgain } from "../parts/TryAgain.js";
import { adminTexts } from "../texts/adminTexts.js";
import { AccountRow } from "./AccountRow.js";
import { NewAccount } from "./NewAccount.js";
import { accounts, type Status } from "./queries.js";

/** The accounts of the instance: found, made, disabled and promoted. */
export function Accounts() {
  const text = adminTexts.users;
  const [search, setSearch] = useState("");
  const [status, setStatus] = useState<Status | "">("");
  const list = useInfiniteQuery(accounts(search.trim(), status));
  const all = list.data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <NewAccount />
      <Section heading={adminTexts.sections.users}>
        <div className="filter-row">
          <input
            className="input s find"
            type="search"
            aria-label={text.find}
            placeholder={text.find}
            value={search}
            maxLength={255}
            onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <Choice
            name={text.status}
            value={status}
            choose={setStatus}
            options={[
              ["", text.all],
              ["active", text.statuses.active],
              ["disabled", text.statuses.disabled],
              ["guest", text.statuses.guest],
            ]}
          />
        </div>
        <TryAgain of={list} />
        {all?.length === 0 && <p className="hint">{text.none}</p>}
        {all !== undefined && all.length > 0 && (
          <ul className="rows" aria-label={adminTexts.sections.users}>
            {all.map((account) => (
              <AccountRow key={account.publicId} account={account} />
            ))}
          </ul>
        )}
        <More of={list}>{adminTexts.more}</More>
      </Section>
    </>
  );
}
