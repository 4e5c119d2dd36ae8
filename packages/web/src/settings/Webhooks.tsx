import { useMutation, useQuery } from "@tanstack/react-query";
import { Webhook as Glyph } from "lucide";
import { Link } from "wouter";
import { settingsOfWorkspace } from "../addresses.js";
import { client } from "../client.js";
import { Icon } from "../parts/Icon.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { TryAgain } from "../parts/TryAgain.js";
import type { OwnWorkspace } from "../session/boards.js";
import { queryClient } from "../session/queryClient.js";
import { texts } from "../texts/later.js";
import { type Webhook, webhooks } from "./queries.js";
import { Secret } from "./Secret.js";
import { WebhookFields, webhookOf } from "./WebhookFields.js";

/** The webhooks of a workspace, and a new one. */
export function Webhooks({ workspace: { publicId: workspacePublicId } }: { workspace: OwnWorkspace }) {
  const text = texts.settings.webhooks;
  const query = useQuery(webhooks(workspacePublicId));
  const all = query.data;
  const create = useMutation({
    mutationFn: (fields: ReturnType<typeof webhookOf>) =>
      client.workspace.webhooks.create.mutate({ workspacePublicId, ...fields }),
    onSuccess: () => queryClient.invalidateQueries(webhooks(workspacePublicId)),
  });
  return (
    <>
      <Section heading={texts.settings.sections.webhooks}>
        <TryAgain of={query} />
        {all?.length === 0 && <p className="hint">{text.none}</p>}
        {all !== undefined && all.length > 0 && (
          <ul className="rows" aria-label={texts.settings.sections.webhooks}>
            {all.map((webhook) => (
              <li className="line" key={webhook.publicId}>
                <Icon of={Glyph} />
                <Link
                  className="grow truncate"
                  href={`${settingsOfWorkspace(workspacePublicId, "webhooks")}/${webhook.publicId}`}
                >
                  <span dir="auto">{webhook.name}</span>
                  <br />
                  <span className="hint">{webhook.url}</span>
                </Link>
                <WebhookState of={webhook} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section heading={text.new}>
        {create.isSuccess ? (
          <Secret secret={create.data.secret} />
        ) : (
          <SaveForm read={webhookOf} save={create} action={text.create}>
            <WebhookFields />
          </SaveForm>
        )}
      </Section>
    </>
  );
}

/** Whether a webhook sends, and whether it arrives. */
export function WebhookState({ of: { active, lastStatus } }: { of: Webhook }) {
  const text = texts.settings.webhooks;
  if (!active) return <span className="chip state off">{text.paused}</span>;
  if (lastStatus !== null && lastStatus >= 400) return <span className="chip state bad">{text.fails(lastStatus)}</span>;
  return <span className="chip state ok">{text.active}</span>;
}
