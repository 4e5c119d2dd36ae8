import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { settingsOfWorkspace } from "../addresses.js";
import { client } from "../client.js";
import { AskButton } from "../parts/AskButton.js";
import { Reason } from "../parts/Reason.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { TryAgain } from "../parts/TryAgain.js";
import { queryClient } from "../session/queryClient.js";
import { texts } from "../texts/later.js";
import { Deliveries } from "./Deliveries.js";
import { deliveries, type Webhook, webhooks } from "./queries.js";
import { Secret } from "./Secret.js";
import { WebhookFields, webhookOf } from "./WebhookFields.js";
import { WebhookState } from "./Webhooks.js";

interface Props {
  workspacePublicId: string;
  webhookPublicId: string;
}

/** A webhook: what it sends, and what it sent. */
export function WebhookPage({ workspacePublicId, webhookPublicId }: Props) {
  const query = useQuery(webhooks(workspacePublicId));
  const all = query.data;
  const webhook = all?.find(({ publicId }) => publicId === webhookPublicId);
  const back = settingsOfWorkspace(workspacePublicId, "webhooks");
  if (all === undefined) return <TryAgain of={query} />;
  return (
    <>
      <p>
        <Link className="link" href={back}>
          {texts.settings.webhooks.all}
        </Link>
      </p>
      {webhook === undefined && <p>{texts.settings.webhooks.gone}</p>}
      {webhook !== undefined && (
        <Found key={webhook.publicId} workspacePublicId={workspacePublicId} webhook={webhook} back={back} />
      )}
    </>
  );
}

function Found({ workspacePublicId, webhook, back }: { workspacePublicId: string; webhook: Webhook; back: string }) {
  const text = texts.settings.webhooks;
  const [, navigate] = useLocation();
  const id = { workspacePublicId, webhookPublicId: webhook.publicId };
  const changed = () => queryClient.invalidateQueries(webhooks(workspacePublicId));
  const save = useMutation({
    mutationFn: (fields: ReturnType<typeof webhookOf>) => client.workspace.webhooks.update.mutate({ ...id, ...fields }),
    onSuccess: changed,
  });
  const turn = useMutation({
    mutationFn: (active: boolean) => client.workspace.webhooks.update.mutate({ ...id, active }),
    onSuccess: changed,
  });
  const test = useMutation({
    mutationFn: () => client.workspace.webhooks.test.mutate(id),
    onSettled: () =>
      Promise.all([changed(), queryClient.invalidateQueries(deliveries(workspacePublicId, webhook.publicId))]),
  });
  const rotate = useMutation({ mutationFn: () => client.workspace.webhooks.rotateSecret.mutate(id) });
  const failure = test.error ?? turn.error;
  return (
    <>
      <Section heading={webhook.name}>
        <div className="stack-8">
          <div className="line-of-tools">
            <WebhookState of={webhook} />
            <button
              className="btn"
              type="button"
              disabled={turn.isPending}
              onClick={() => turn.mutate(!webhook.active)}
            >
              {webhook.active ? text.pause : text.resume}
            </button>
            <button
              className="btn"
              type="button"
              aria-busy={test.isPending}
              disabled={test.isPending}
              onClick={() => test.mutate()}
            >
              {text.test}
            </button>
            <AskButton
              className="btn"
              heading={text.rotateAsks}
              text={text.rotateText}
              action={text.rotate}
              run={() => rotate.mutateAsync()}
            >
              {text.rotate}
            </AskButton>
            <AskButton
              className="btn danger"
              heading={text.deleteAsks(webhook.name)}
              text={text.deleteText}
              action={text.delete}
              run={async () => {
                await client.workspace.webhooks.delete.mutate(id);
                navigate(back);
                await changed();
              }}
            >
              {text.delete}
            </AskButton>
          </div>
          <Reason of={failure} />
          {rotate.isSuccess && <Secret secret={rotate.data.secret} />}
        </div>
      </Section>
      <Section heading={text.what}>
        <SaveForm read={webhookOf} save={save}>
          <WebhookFields webhook={webhook} />
        </SaveForm>
      </Section>
      <Deliveries workspacePublicId={workspacePublicId} webhook={webhook} />
    </>
  );
}
