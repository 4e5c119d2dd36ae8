import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RouterOutputs } from "../client.js";
import { Choice } from "../parts/Choice.js";
import { More } from "../parts/More.js";
import { Section } from "../parts/Section.js";
import { Table } from "../parts/Table.js";
import { TryAgain } from "../parts/TryAgain.js";
import { datesLang, formatOf } from "../parts/times.js";
import { adminTexts } from "../texts/adminTexts.js";
import { type AuditType, audit } from "./queries.js";

type Entry = RouterOutputs["admin"]["audit"]["items"][number];

const toTheSecond = formatOf({ dateStyle: "medium", timeStyle: "medium" });

/** The changes of accounts and access, the newest first. */
export function AuditLog() {
  const text = adminTexts.audit;
  const [type, setType] = useState<AuditType | "">("");
  const list = useInfiniteQuery(audit(type));
  const entries = list.data?.pages.flatMap(({ items }) => items);
  const types = Object.entries(text.types) as [AuditType, string][];
  return (
    <Section heading={adminTexts.sections.audit}>
      <div className="filter-row">
        <Choice name={text.filter} value={type} choose={setType} options={[["", text.all], ...types]} />
      </div>
      <TryAgain of={list} />
      {entries?.length === 0 && <p className="hint">{text.none}</p>}
      {entries !== undefined && entries.length > 0 && (
        <Table
          name={text.table}
          heads={[
            { text: text.what },
            { text: text.who },
            { text: text.about },
            { text: text.address, isWide: true },
            { text: text.when },
          ]}
        >
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td>{text.types[entry.type as AuditType] ?? entry.type}</td>
              <td dir="auto">{entry.actor?.name ?? text.nobody}</td>
              <td dir="auto">{aboutOf(entry)}</td>
              <td className="quiet wide">{entry.address}</td>
              <td className="quiet" lang={datesLang}>
                {toTheSecond(new Date(entry.createdAt))}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <More of={list}>{adminTexts.more}</More>
    </Section>
  );
}

/** The person or thing of an entry, unless that is the person who did it. */
const aboutOf = ({ actor, target }: Entry) =>
  target === null || target.publicId === actor?.publicId ? "" : (target.name ?? target.publicId ?? "");
