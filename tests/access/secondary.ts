// The secondary identifiers: every field beside the target by which a call reaches something else, and what the contract answers
// where that is unknown or belongs elsewhere (section 1, order of checks).

import type { Outcome } from "./contract.js";
import type { Place, World } from "./world.js";

type Ids = Place["ids"];

/** An answer as filters read it: a plain array, or an object with parts. */
type Filtered = unknown[] & { items: unknown[]; lists: { cards: unknown[] }[] };

export interface Secondary {
  of: keyof Ids;
  /** How it stands in the field, where it does not stand there alone. */
  as?: (id: string, ids: Ids) => unknown;
  /** The answer to one of another workspace, where the general rule does not give it. */
  foreign?: Outcome;
  /** More of the wrong ones, of the same workspace. */
  also?: Record<string, (world: World) => string>;
  /** The field filters: a wrong one is no mistake, and leaves these parts of the answer empty. */
  filters?: (body: Filtered) => unknown[];
}

const other = (of: keyof Ids) => (id: string, ids: Ids) => [ids[of], id];
const alone = (id: string) => [id];
const ofOtherBoard = (of: keyof Ids) => ({ "of another board": ({ places }: World) => places.private.ids[of] });
const ofOtherCard = { "of another card": ({ places }: World) => places.open.ids.otherCommentPublicId };

const rows = (body: Filtered) => body;
const items = (body: Filtered) => body.items;
const cardsOf = (body: Filtered) => body.lists.flatMap(({ cards }) => cards);

export const SECONDARY: Record<string, Record<string, Secondary>> = {
  "admin.audit": { actorPublicId: { of: "memberPublicId", filters: items } },
  "workspace.members.setRole": { memberPublicId: { of: "memberPublicId" } },
  "workspace.members.remove": { memberPublicId: { of: "memberPublicId" } },
  "workspace.tags.update": { tagPublicId: { of: "tagPublicId" } },
  "workspace.tags.delete": { tagPublicId: { of: "tagPublicId" } },
  "workspace.meetings.save": { meetingPublicId: { of: "meetingPublicId" } },
  "workspace.meetings.delete": { meetingPublicId: { of: "meetingPublicId" } },
  "workspace.calendar": {
    boardPublicId: { of: "boardPublicId", filters: rows },
    memberPublicId: { of: "memberPublicId", filters: rows },
  },
  "workspace.search": {
    boardPublicId: { of: "boardPublicId", filters: items },
    memberPublicId: { of: "memberPublicId", filters: items },
  },
  "workspace.events": {
    boardPublicId: { of: "boardPublicId", filters: items },
    cardPublicId: { of: "cardPublicId", filters: items },
  },
  "workspace.webhooks.update": { webhookPublicId: { of: "webhookPublicId" } },
  "workspace.webhooks.delete": { webhookPublicId: { of: "webhookPublicId" } },
  "workspace.webhooks.test": { webhookPublicId: { of: "webhookPublicId" } },
  "workspace.webhooks.rotateSecret": { webhookPublicId: { of: "webhookPublicId" } },
  "workspace.webhooks.deliveries": { webhookPublicId: { of: "webhookPublicId" } },
  "workspace.webhooks.redeliver": {
    webhookPublicId: { of: "webhookPublicId" },
    deliveryPublicId: { of: "deliveryPublicId" },
  },
  "board.list": { tagPublicId: { of: "tagPublicId", filters: rows } },
  "board.get": {
    memberPublicId: { of: "memberPublicId", filters: cardsOf },
    labelPublicId: { of: "labelPublicId", filters: cardsOf, also: ofOtherBoard("labelPublicId") },
  },
  "board.toggleTag": { tagPublicId: { of: "tagPublicId" } },
  "board.members.add": { memberPublicId: { of: "memberPublicId" } },
  "board.members.remove": { memberPublicId: { of: "memberPublicId" } },
  "import.csv": { boardPublicId: { of: "boardPublicId" } },
  "card.create": {
    labelPublicIds: { of: "labelPublicId", as: alone, also: ofOtherBoard("labelPublicId") },
    memberPublicIds: { of: "memberPublicId", as: alone },
  },
  "card.update": { listPublicId: { of: "listPublicId", foreign: "FORBIDDEN" } },
  "card.duplicate": { listPublicId: { of: "listPublicId" } },
  "card.toggleLabel": { labelPublicId: { of: "labelPublicId", also: ofOtherBoard("labelPublicId") } },
  "card.toggleMember": { memberPublicId: { of: "memberPublicId" } },
  "card.bulk.move": {
    cardPublicIds: { of: "cardPublicId", as: other("otherCardPublicId") },
    listPublicId: { of: "listPublicId" },
  },
  "card.bulk.update": {
    cardPublicIds: { of: "cardPublicId", as: other("otherCardPublicId") },
    addLabelPublicIds: { of: "labelPublicId", as: alone, also: ofOtherBoard("labelPublicId") },
    removeLabelPublicIds: { of: "labelPublicId", as: alone, also: ofOtherBoard("labelPublicId") },
    addMemberPublicIds: { of: "memberPublicId", as: alone },
    removeMemberPublicIds: { of: "memberPublicId", as: alone },
  },
  "card.bulk.archive": { cardPublicIds: { of: "cardPublicId", as: other("otherCardPublicId") } },
  "card.bulk.delete": { cardPublicIds: { of: "cardPublicId", as: other("otherCardPublicId") } },
  "card.comments.create": { parentCommentPublicId: { of: "commentPublicId", also: ofOtherCard } },
  "card.comments.update": { commentPublicId: { of: "commentPublicId", also: ofOtherCard } },
  "card.comments.delete": { commentPublicId: { of: "commentPublicId", also: ofOtherCard } },
};
