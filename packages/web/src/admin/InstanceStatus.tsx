import { useQuery } from "@tanstack/react-query";
import { Reason } from "../parts/Reason.js";
import { Section } from "../parts/Section.js";
import { texts } from "../texts/later.js";
import { status } from "./queries.js";

const WHEN = { dateStyle: "medium", timeStyle: "short" } as const;
const MIB = 1024 * 1024;

/** Versions, queues and sizes of the instance. */
export function InstanceStatus() {
  const text = texts.admin.status;
  const { data, error, isFetching, refetch } = useQuery(status);
  if (error) return <Reason of={error} />;
  if (data === undefined) return <p role="status">{text.counting}</p>;
  const { version, database, migrations, queues, storage, counts } = data;
  const waiting = ({ due, oldest }: (typeof queues)["mail"]) =>
    oldest === null ? text.nothing : text.waiting(due, new Date(oldest).toLocaleString(undefined, WHEN));
  const facts = [
    [text.version, version],
    [text.database, `${text.kinds[database.kind]} ${database.postgresVersion}`],
    [text.migrations, text.applied(migrations.applied, migrations.missing)],
    [text.size, text.mebibytes(Math.round(storage.databaseBytes / MIB))],
    [text.webhooks, waiting(queues.webhooks)],
    [text.mail, waiting(queues.mail)],
  ] as const;
  const amounts = [
    [text.users, counts.users],
    [text.disabledUsers, counts.disabledUsers],
    [text.guests, counts.guests],
    [text.workspaces, counts.workspaces],
    [text.boards, counts.boards],
    [text.cards, counts.cards],
  ] as const;
  return (
    <>
      <Section heading={texts.admin.sections.status}>
        <dl className="rows facts">
          {facts.map(([name, fact]) => (
            <div className="line" key={name}>
              <dt className="grow">{name}</dt>
              <dd>{fact}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section heading={text.counts}>
        <dl className="rows facts">
          {amounts.map(([name, amount]) => (
            <div className="line" key={name}>
              <dt className="grow">{name}</dt>
              <dd>{amount.toLocaleString()}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <p>
        <button className="btn" type="button" disabled={isFetching} onClick={() => void refetch()}>
          {text.again}
        </button>
      </p>
    </>
  );
}
