// The people who see a board, and invitations to more. Loaded when it is first opened.

import { useBoardState, useShownBoard } from "../board/context.js";
import { CopyButton } from "../parts/CopyButton.js";
import { TitledDialog } from "../parts/TitledDialog.js";
import { texts } from "../texts/later.js";
import { BoardPeople } from "./BoardPeople.js";
import { InviteForm } from "./InviteForm.js";
import { InviteLink } from "./InviteLink.js";
import { inviteToBoard } from "./queries.js";
import { Visibility } from "./Visibility.js";

/** Shares a board: by mail, by link, and by what everybody may see. */
export default function ShareDialog({ close }: { close: () => void }) {
  const text = texts.share;
  const { may } = useShownBoard();
  const name = useBoardState((board) => board.name);
  const boardPublicId = useBoardState((board) => board.publicId);
  const workspace = useBoardState((board) => board.workspace);
  const isPublic = useBoardState((board) => board.visibility === "public");
  const workspacePublicId = workspace.publicId;
  return (
    <TitledDialog heading={text.heading(name)} close={close}>
      {may("member:invite") && (
        <section aria-label={text.byMail}>
          <InviteForm
            workspacePublicId={workspacePublicId}
            roleNames={{ ...texts.roles, guest: text.guestHere }}
            invite={(email, role) => inviteToBoard({ boardPublicId, workspacePublicId }, email, role)}
          />
        </section>
      )}
      {may("member:invite") && (
        <section aria-label={text.byLink}>
          <InviteLink workspacePublicId={workspacePublicId} workspace={workspace.name} />
        </section>
      )}
      <section className="stack-8" aria-labelledby="people">
        <h3 id="people">{text.people}</h3>
        <Visibility />
        <BoardPeople />
      </section>
      <div className="fields">
        <CopyButton text={`${location.origin}/boards/${boardPublicId}`}>{text.copyBoard}</CopyButton>
        {isPublic && (
          <CopyButton text={`${location.origin}/public/boards/${boardPublicId}`}>{text.copyPublic}</CopyButton>
        )}
      </div>
    </TitledDialog>
  );
}
