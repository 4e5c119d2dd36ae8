import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { settingsOfWorkspace } from "../addresses.js";
import { client } from "../client.js";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { Reason } from "../parts/Reason.js";
import { RunButton } from "../parts/RunButton.js";
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

interface FoundProps {
  workspacePublicId: string;
  webhook: Webhook;
}

function Found(props: FoundProps & { back: string }) {
  return (
    <>
      <Tools {...props} />
      <Sent {...props} />
      <Deliveries {...props} />
    </>
  );
}

/** The state of a webhook, and what can be done with it. */
function Tools({ workspacePublicId, webhook, back }: FoundProps & { back: string }) {
  const text = texts.settings.webhooks;
  const id = { workspacePublicId, webhookPublicId: webhook.publicId };
  const changed = () => queryClient.invalidateQueries(webhooks(workspacePublicId));
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
  return (
    <Section heading={webhook.name}>
      <div className="stack-8">
        <div className="line-of-tools">
          <WebhookState of={webhook} />
          <RunButton of={turn} run={() => turn.mutate(!webhook.active)}>
            {webhook.active ? text.pause : text.resume}
          </RunButton>
          <RunButton of={test} run={() => test.mutate()}>
            {text.test}
          </RunButton>
          <ConfirmButton
            className="btn"
            heading={text.rotateAsks}
            text={text.rotateText}
            action={text.rotate}
            run={() => rotate.mutateAsync()}
          >
            {text.rotate}
          </ConfirmButton>
          <DeleteButton workspacePublicId={workspacePublicId} webhook={webhook} back={back} />
        </div>
        <Reason of={test.error ?? turn.error} />
        {rotate.isSuccess && <Secret secret={rotate.data.secret} />}
      </div>
    </Section>
  );
}

function DeleteButton({ workspacePublicId, webhook: { publicId, name }, back }: FoundProps & { back: string }) {
  const text = texts.settings.webhooks;
  const [, navigate] = useLocation();
  const remove = async () => {
    await client.workspace.webhooks.delete.mutate({ workspacePublicId, webhookPublicId: publicId });
    navigate(back);
    await queryClient.invalidateQueries(webhooks(workspacePublicId));
  };
  return (
    <ConfirmButton
      className="btn danger"
      heading={text.deleteAsks(name)}
      text={text.deleteText}
      action={text.delete}
      run={remove}
    >
      {text.delete}
    </ConfirmButton>
  );
}

/** The fields of a webhook. */
function Sent({ workspacePublicId, webhook }: FoundProps) {
  const id = { workspacePublicId, webhookPublicId: webhook.publicId };
  const save = useMutation({
    mutationFn: (fields: ReturnType<typeof webhookOf>) => client.workspace.webhooks.update.mutate({ ...id, ...fields }),
    onSuccess: () => queryClient.invalidateQueries(webhooks(workspacePublicId)),
  });
  return (
    <Section heading={texts.settings.webhooks.what}>
      <SaveForm read={webhookOf} save={save}>
        <WebhookFields webhook={webhook} />
      </SaveForm>
    </Section>
  );
}
