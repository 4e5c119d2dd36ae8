import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { More } from "../parts/More.js";
import { Reason } from "../parts/Reason.js";
import { RunButton } from "../parts/RunButton.js";
import { Section } from "../parts/Section.js";
import { Table } from "../parts/Table.js";
import { TryAgain } from "../parts/TryAgain.js";
import { datesLang, FORMATS } from "../parts/times.js";
import { queryClient } from "../session/queryClient.js";
import { texts } from "../texts/later.js";
import { type Delivery, deliveries, type Webhook } from "./queries.js";

const STATES = { pending: "note", retrying: "note", delivered: "ok", failed: "bad" };

/** The state of a delivery as its reader sees it: one that failed before it is tried again is another one than a new one. */
const stateOf = ({ status, attempts }: Delivery): keyof typeof STATES =>
  status === "pending" && attempts > 0 ? "retrying" : status;

/** The deliveries of a webhook, the newest first, with their answers. Each can be sent again. */
export function Deliveries({ workspacePublicId, webhook }: { workspacePublicId: string; webhook: Webhook }) {
  const text = texts.settings.deliveries;
  const list = useInfiniteQuery(deliveries(workspacePublicId, webhook.publicId));
  const again = useMutation({
    mutationFn: (deliveryPublicId: string) =>
      client.workspace.webhooks.redeliver.mutate({
        workspacePublicId,
        webhookPublicId: webhook.publicId,
        deliveryPublicId,
      }),
    onSettled: () => queryClient.invalidateQueries(deliveries(workspacePublicId, webhook.publicId)),
  });
  const all = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section heading={text.heading}>
      <TryAgain of={list} />
      {list.data !== undefined && all.length === 0 && <p className="hint">{text.none}</p>}
      {all.length > 0 && (
        <Table
          name={text.table}
          heads={[
            { text: text.event },
            { text: text.state },
            { text: text.when, isWide: true },
            { text: text.actions, isHidden: true },
          ]}
        >
          {all.map((delivery) => (
            <tr key={delivery.publicId}>
              <td>{delivery.type}</td>
              <td>
                <span className={`chip state ${STATES[stateOf(delivery)]}`}>{text.states[stateOf(delivery)]}</span>
                <span className="hint">{` ${outcomeOf(delivery)}`}</span>
              </td>
              <td className="quiet wide" lang={datesLang}>
                {FORMATS.dayAndTime(new Date(delivery.createdAt))}
              </td>
              <td className="num">
                {webhook.active && delivery.status !== "pending" && (
                  <RunButton
                    of={again}
                    run={() => again.mutate(delivery.publicId)}
                    className="btn s"
                    name={text.sendAgain(delivery.type)}
                  >
                    {text.again}
                  </RunButton>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Reason of={again.error} />
      <More of={list}>{text.more}</More>
    </Section>
  );
}

/** The answer to the last attempt, and the number of attempts. */
const outcomeOf = ({ attempts, lastStatusCode, lastError }: Delivery) => {
  const text = texts.settings.deliveries;
  if (attempts === 0) return "";
  const answer = lastStatusCode === null ? (lastError ?? "") : text.answered(lastStatusCode);
  return attempts > 1 ? `${answer}, ${text.attempts(attempts)}` : answer;
};
