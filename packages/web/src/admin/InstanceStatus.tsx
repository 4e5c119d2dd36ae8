import { useQuery } from "@tanstack/react-query";
import { Button } from "../parts/Button.js";
import { Section } from "../parts/Section.js";
import { TryAgain } from "../parts/TryAgain.js";
import { FORMATS } from "../parts/times.js";
import { adminTexts } from "../texts/adminTexts.js";
import { texts } from "../texts/later.js";
import * as styles from "./Admin.module.css";
import { status } from "./queries.js";

const MIB = 1024 * 1024;
const COUNTED = ["users", "disabledUsers", "guests", "workspaces", "boards", "cards"] as const;

/** Versions, queues and sizes of the instance. */
export function InstanceStatus() {
  const text = adminTexts.status;
  const query = useQuery(status);
  const { data, error, isFetching, refetch } = query;
  if (error) return <TryAgain of={query} />;
  if (data === undefined) return <p role="status">{text.counting}</p>;
  const { version, database, migrations, queues, storage, counts } = data;
  const waiting = ({ due, oldest }: (typeof queues)["mail"]) =>
    oldest === null ? text.nothing : text.waiting(due, FORMATS.dayAndTime(new Date(oldest)));
  const facts = [
    [text.version, version],
    [text.database, `${text.kinds[database.kind]} ${database.postgresVersion}`],
    [text.migrations, text.applied(migrations.applied, migrations.missing)],
    [text.size, text.mebibytes(Math.round(storage.databaseBytes / MIB))],
    ...(storage.freeBytes === null
      ? []
      : ([[text.free, text.mebibytes(Math.floor(storage.freeBytes / MIB))]] as const)),
    [text.webhooks, waiting(queues.webhooks)],
    [text.mail, waiting(queues.mail)],
  ] as const;
  return (
    <>
      <ValueList heading={adminTexts.sections.status} facts={facts} />
      <ValueList heading={text.counts} facts={COUNTED.map((one) => [text[one], texts.number(counts[one])] as const)} />
      <p>
        <Button className="btn" isOff={isFetching} onClick={() => void refetch()}>
          {text.again}
        </Button>
      </p>
    </>
  );
}

const ValueList = ({
  heading,
  facts,
}: {
  heading: string;
  facts: readonly (readonly [name: string, fact: string])[];
}) => (
  <Section heading={heading}>
    <dl className={`rows ${styles.facts}`}>
      {facts.map(([name, fact]) => (
        <div className="line" key={name}>
          <dt className="grow">{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  </Section>
);
