// Cards and what is on them.

import { ok, unique } from "../../helpers/app.js";
import type { Call, Rows, Scene } from "../rows.js";

const onCard = ({ place }: Scene) => ({ cardPublicId: place.ids.cardPublicId });
const onCards = ({ place }: Scene) => ({ cardPublicIds: [place.ids.cardPublicId] });
const withLabel = (scene: Scene) => ({ ...onCard(scene), labelPublicId: scene.place.ids.labelPublicId });
const withMember = (scene: Scene) => ({ ...onCard(scene), memberPublicId: scene.place.ids.memberPublicId });
const withComment = (scene: Scene) => ({ ...onCard(scene), commentPublicId: scene.place.ids.commentPublicId });
const onChecklist = ({ place }: Scene) => ({ checklistPublicId: place.ids.checklistPublicId });
const onItem = ({ place }: Scene) => ({ itemPublicId: place.ids.itemPublicId });
/** What the removed member wrote: its own to itself alone. */
const withLeftComment = (scene: Scene) => ({
  ...onCard(scene),
  commentPublicId: scene.world.leftComments[scene.placeName],
});

async function freshCard({ app, place }: Scene): Promise<string> {
  return (await app.make.card({ list: place.list })).card.publicId;
}

const onFreshCard =
  (fields: Record<string, unknown> = {}) =>
  async (scene: Scene): Promise<Call> => ({ input: { cardPublicId: await freshCard(scene), ...fields } });

const onFreshCards = async (scene: Scene): Promise<Call> => ({ input: { cardPublicIds: [await freshCard(scene)] } });

const freshComment =
  (by: "caller" | "owner", fields: () => Record<string, unknown> = () => ({})) =>
  async (scene: Scene): Promise<Call> => {
    const author = by === "owner" ? scene.world.owner : { token: scene.caller.token ?? "" };
    const commentPublicId = await scene.makers.comment(author, scene.place.ids.cardPublicId);
    return { input: { ...onCard(scene), commentPublicId, ...fields() } };
  };

const text = () => ({ comment: unique("Comment") });
const moment = () => new Date(Date.UTC(2027, 0, 1) + Math.floor(Math.random() * 1e10)).toISOString();

const cards: Rows = {
  "card.create": {
    at: "POST /cards",
    needs: "card:create",
    on: "board",
    target: "listPublicId",
    input: ({ place }) => ({ listPublicId: place.ids.listPublicId, title: unique("Card") }),
  },
  "card.get": { at: "GET /cards/{cardPublicId}", needs: "card:view", on: "board", input: onCard },
  "card.update": [
    {
      at: "PUT /cards/{cardPublicId}",
      needs: "card:edit",
      on: "board",
      input: (scene) => ({ ...onCard(scene), title: unique("Card") }),
    },
    {
      case: "moved",
      at: "PUT /cards/{cardPublicId}",
      needs: "card:edit",
      on: "board",
      input: (scene) => ({ ...onCard(scene), listPublicId: scene.place.ids.otherListPublicId }),
      fresh: async (scene) => ({
        input: { cardPublicId: await freshCard(scene), listPublicId: scene.place.ids.otherListPublicId },
      }),
    },
    {
      case: "placed",
      at: "PUT /cards/{cardPublicId}",
      needs: "card:edit",
      on: "board",
      input: (scene) => ({ ...onCard(scene), index: 0 }),
      fresh: onFreshCard({ index: 0 }),
    },
  ],
  "card.delete": {
    at: "DELETE /cards/{cardPublicId}",
    needs: "card:delete",
    on: "board",
    input: onCard,
    fresh: onFreshCard(),
  },
  "card.archive": {
    at: "POST /cards/{cardPublicId}/archive",
    needs: "card:edit",
    on: "board",
    input: onCard,
    fresh: onFreshCard(),
  },
  "card.unarchive": {
    at: "POST /cards/{cardPublicId}/unarchive",
    needs: "card:edit",
    on: "board",
    input: onCard,
    fresh: async (scene) => {
      const cardPublicId = await freshCard(scene);
      ok(await scene.app.as(scene.world.owner).post(`/cards/${cardPublicId}/archive`));
      return { input: { cardPublicId } };
    },
  },
  "card.duplicate": { at: "POST /cards/{cardPublicId}/duplicate", needs: "card:create", on: "board", input: onCard },
  "card.toggleLabel": {
    at: "PUT /cards/{cardPublicId}/labels/{labelPublicId}",
    needs: "card:edit",
    on: "board",
    input: withLabel,
  },
  "card.toggleMember": {
    at: "PUT /cards/{cardPublicId}/members/{memberPublicId}",
    needs: "card:edit",
    on: "board",
    input: withMember,
  },
  "card.activities": { at: "GET /cards/{cardPublicId}/activities", needs: "card:view", on: "board", input: onCard },
};

const bulk: Rows = {
  "card.bulk.move": {
    at: "POST /cards/bulk/move",
    needs: "card:edit",
    on: "board",
    target: "cardPublicIds",
    input: (scene) => ({ ...onCards(scene), listPublicId: scene.place.ids.otherListPublicId }),
    fresh: async (scene) => {
      const { input } = await onFreshCards(scene);
      return { input: { ...input, listPublicId: scene.place.ids.otherListPublicId } };
    },
  },
  "card.bulk.update": {
    at: "POST /cards/bulk/update",
    needs: "card:edit",
    on: "board",
    target: "cardPublicIds",
    input: (scene) => ({ ...onCards(scene), dueDate: moment() }),
  },
  "card.bulk.archive": {
    at: "POST /cards/bulk/archive",
    needs: "card:edit",
    on: "board",
    target: "cardPublicIds",
    input: onCards,
    fresh: onFreshCards,
  },
  "card.bulk.delete": {
    at: "POST /cards/bulk/delete",
    needs: "card:delete",
    on: "board",
    target: "cardPublicIds",
    input: onCards,
    fresh: onFreshCards,
  },
};

const comments: Rows = {
  "card.comments.list": { at: "GET /cards/{cardPublicId}/comments", needs: "comment:view", on: "board", input: onCard },
  "card.comments.create": {
    at: "POST /cards/{cardPublicId}/comments",
    needs: "comment:create",
    on: "board",
    input: (scene) => ({ ...onCard(scene), ...text() }),
  },
  "card.comments.update": [
    {
      case: "somebody else's",
      at: "PUT /cards/{cardPublicId}/comments/{commentPublicId}",
      needs: "comment:edit",
      on: "board",
      input: (scene) => ({ ...withComment(scene), ...text() }),
    },
    {
      case: "one's own",
      at: "PUT /cards/{cardPublicId}/comments/{commentPublicId}",
      needs: "comment:view",
      on: "board",
      input: (scene) => ({ ...withLeftComment(scene), ...text() }),
      fresh: freshComment("caller", text),
    },
  ],
  "card.comments.delete": [
    {
      case: "somebody else's",
      at: "DELETE /cards/{cardPublicId}/comments/{commentPublicId}",
      needs: "comment:delete",
      on: "board",
      input: withComment,
      fresh: freshComment("owner"),
    },
    {
      case: "one's own",
      at: "DELETE /cards/{cardPublicId}/comments/{commentPublicId}",
      needs: "comment:view",
      on: "board",
      input: withLeftComment,
      fresh: freshComment("caller"),
    },
  ],
};

const checklists: Rows = {
  "card.checklists.create": {
    at: "POST /cards/{cardPublicId}/checklists",
    needs: "card:edit",
    on: "board",
    input: (scene) => ({ ...onCard(scene), name: unique("Checklist") }),
  },
  "card.checklists.update": {
    at: "PUT /checklists/{checklistPublicId}",
    needs: "card:edit",
    on: "board",
    input: (scene) => ({ ...onChecklist(scene), name: unique("Checklist") }),
  },
  "card.checklists.delete": {
    at: "DELETE /checklists/{checklistPublicId}",
    needs: "card:edit",
    on: "board",
    input: onChecklist,
    fresh: async ({ app, place }) => ({
      input: { checklistPublicId: (await app.make.checklist({ card: place.checklist.card })).checklist.publicId },
    }),
  },
  "card.checklists.addItem": {
    at: "POST /checklists/{checklistPublicId}/items",
    needs: "card:edit",
    on: "board",
    input: (scene) => ({ ...onChecklist(scene), title: unique("Item") }),
  },
  "card.checklists.updateItem": {
    at: "PUT /checklist-items/{itemPublicId}",
    needs: "card:edit",
    on: "board",
    input: (scene) => ({ ...onItem(scene), title: unique("Item") }),
  },
  "card.checklists.deleteItem": {
    at: "DELETE /checklist-items/{itemPublicId}",
    needs: "card:edit",
    on: "board",
    input: onItem,
    fresh: async ({ app, place }) => ({
      input: { itemPublicId: (await app.make.item({ checklist: place.checklist })).item.publicId },
    }),
  },
};

export const cardRows: Rows = { ...cards, ...bulk, ...comments, ...checklists };
