// Boards, their members, lists and labels.

import { ok, unique } from "../../helpers/app.js";
import { type CallerName, everyone } from "../contract.js";
import type { Call, Rows, Scene } from "../rows.js";

const here = ({ place }: Scene) => ({ workspacePublicId: place.ids.workspacePublicId });
const onBoard = ({ place }: Scene) => ({ boardPublicId: place.ids.boardPublicId });
const withTag = (scene: Scene) => ({ ...onBoard(scene), tagPublicId: scene.place.ids.tagPublicId });
const withMember = (scene: Scene) => ({ ...onBoard(scene), memberPublicId: scene.place.ids.memberPublicId });
const ownMember = (scene: Scene) => ({
  ...onBoard(scene),
  memberPublicId: scene.caller.memberPublicId ?? scene.place.ids.memberPublicId,
});
const label = () => ({ name: unique("Label"), colourCode: "#1f6feb" });

const ON_BOARDS: readonly CallerName[] = [
  "a guest of the board",
  "an accountless guest",
  "a member on the private board",
];

async function freshBoard({ app, makers, placeName, place, kind, caller }: Scene): Promise<string> {
  const visibility = placeName === "open" ? "workspace" : "private";
  const { board } = await app.make.board({ workspace: place.board.workspace, visibility });
  if (ON_BOARDS.includes(kind) && caller.memberPublicId !== null) await makers.addToBoard(board, caller.memberPublicId);
  return board.publicId;
}

const onFreshBoard =
  (fields: Record<string, unknown> = {}) =>
  async (scene: Scene): Promise<Call> => ({ input: { boardPublicId: await freshBoard(scene), ...fields } });

async function freshMember(scene: Scene) {
  return scene.app.make.member(scene.place.board.workspace, "member");
}

const boards: Rows = {
  "board.list": {
    at: "GET /workspaces/{workspacePublicId}/boards",
    needs: "workspace:view",
    on: "workspace",
    input: here,
  },
  "board.create": [
    {
      at: "POST /workspaces/{workspacePublicId}/boards",
      needs: "board:create",
      on: "workspace",
      input: (scene) => ({ ...here(scene), name: unique("Board") }),
    },
    {
      case: "public",
      at: "POST /workspaces/{workspacePublicId}/boards",
      needs: "board:create",
      on: "workspace",
      except: { "a member": "FORBIDDEN", "a member on the private board": "FORBIDDEN" },
      input: (scene) => ({ ...here(scene), name: unique("Board"), visibility: "public" }),
    },
  ],
  "board.get": { at: "GET /boards/{boardPublicId}", needs: "board:view", on: "board", input: onBoard },
  "board.getPublic": [
    {
      at: "GET /public/boards/{boardPublicId}",
      needs: "nothing",
      input: ({ world }) => ({ boardPublicId: world.publicBoardPublicId }),
    },
    {
      case: "not public",
      at: "GET /public/boards/{boardPublicId}",
      needs: "nothing",
      on: "board",
      except: everyone("NOT_FOUND"),
      input: onBoard,
    },
  ],
  "board.update": [
    {
      at: "PUT /boards/{boardPublicId}",
      needs: "board:edit",
      on: "board",
      input: (scene) => ({ ...onBoard(scene), name: unique("Board") }),
    },
    {
      case: "isFavourite",
      at: "PUT /boards/{boardPublicId}",
      needs: "board:view",
      on: "board",
      input: (scene) => ({ ...onBoard(scene), isFavourite: true }),
      fresh: onFreshBoard({ isFavourite: true }),
    },
    {
      case: "isFavourite and name",
      at: "PUT /boards/{boardPublicId}",
      needs: "board:edit",
      on: "board",
      input: (scene) => ({ ...onBoard(scene), isFavourite: true, name: unique("Board") }),
    },
    {
      case: "made public",
      at: "PUT /boards/{boardPublicId}",
      needs: "board:edit",
      on: "board",
      except: { "a member": "FORBIDDEN", "a member on the private board": "FORBIDDEN" },
      input: (scene) => ({ ...onBoard(scene), visibility: "public" }),
      fresh: onFreshBoard({ visibility: "public" }),
    },
  ],
  "board.delete": {
    at: "DELETE /boards/{boardPublicId}",
    needs: "board:delete",
    on: "board",
    input: onBoard,
    fresh: onFreshBoard(),
  },
  "board.archive": {
    at: "POST /boards/{boardPublicId}/archive",
    needs: "board:edit",
    on: "board",
    input: onBoard,
    fresh: onFreshBoard(),
  },
  "board.unarchive": {
    at: "POST /boards/{boardPublicId}/unarchive",
    needs: "board:edit",
    on: "board",
    input: onBoard,
    fresh: async (scene) => {
      const boardPublicId = await freshBoard(scene);
      ok(await scene.app.as(scene.world.owner).post(`/boards/${boardPublicId}/archive`));
      return { input: { boardPublicId } };
    },
  },
  "board.duplicate": {
    at: "POST /boards/{boardPublicId}/duplicate",
    needs: "board:create",
    on: "board",
    input: onBoard,
    fresh: onFreshBoard(),
  },
  "board.opened": {
    at: "PUT /boards/{boardPublicId}/opened",
    needs: "board:view",
    on: "board",
    input: onBoard,
    fresh: onFreshBoard(),
  },
  "board.checkSlug": {
    at: "GET /boards/{boardPublicId}/check-slug-availability",
    needs: "board:edit",
    on: "board",
    input: (scene) => ({ ...onBoard(scene), boardSlug: "a-free-slug" }),
  },
  "board.archivedCards": {
    at: "GET /boards/{boardPublicId}/archived-cards",
    needs: "board:view",
    on: "board",
    input: onBoard,
  },
  "board.export": { at: "GET /boards/{boardPublicId}/export", needs: "board:view", on: "board", input: onBoard },
  "board.stream": {
    at: "GET /boards/{boardPublicId}/stream",
    needs: "board:view",
    on: "board",
    input: onBoard,
    stream: true,
  },
  "board.toggleTag": {
    at: "PUT /boards/{boardPublicId}/tags/{tagPublicId}",
    needs: "board:edit",
    on: "board",
    input: withTag,
  },
};

const members: Rows = {
  "board.assignable": {
    at: "GET /boards/{boardPublicId}/assignable",
    needs: "board:view",
    on: "board",
    input: onBoard,
  },
  "board.members.list": {
    at: "GET /boards/{boardPublicId}/members",
    needs: "board:view",
    on: "board",
    input: onBoard,
  },
  "board.members.add": {
    at: "POST /boards/{boardPublicId}/members",
    needs: "board:edit",
    on: "board",
    input: withMember,
    fresh: async (scene) => ({
      input: { ...onBoard(scene), memberPublicId: (await freshMember(scene)).memberPublicId },
    }),
  },
  "board.members.invite": [
    {
      case: "a present member",
      at: "POST /boards/{boardPublicId}/members/invite",
      needs: "board:edit",
      on: "board",
      input: (scene) => ({ ...onBoard(scene), email: scene.place.ids.memberEmail }),
      fresh: async (scene) => ({ input: { ...onBoard(scene), email: (await freshMember(scene)).email } }),
    },
    {
      case: "an address to invite",
      at: "POST /boards/{boardPublicId}/members/invite",
      needs: "member:invite",
      on: "board",
      input: (scene) => ({ ...onBoard(scene), email: `${unique("someone").replace(" ", ".")}@example.org` }),
    },
    {
      case: "an address that has an account elsewhere",
      at: "POST /boards/{boardPublicId}/members/invite",
      needs: "member:invite",
      on: "board",
      input: (scene) => ({ ...onBoard(scene), email: scene.world.strange.board.owner.email }),
      fresh: async (scene) => ({ input: { ...onBoard(scene), email: (await scene.app.make.user()).email } }),
    },
  ],
  "board.members.remove": [
    {
      at: "DELETE /boards/{boardPublicId}/members/{memberPublicId}",
      needs: "board:edit",
      on: "board",
      input: withMember,
      fresh: async (scene) => {
        const { memberPublicId } = await freshMember(scene);
        await scene.makers.addToBoard(scene.place.board, memberPublicId);
        return { input: { ...onBoard(scene), memberPublicId } };
      },
    },
    {
      case: "oneself",
      at: "DELETE /boards/{boardPublicId}/members/{memberPublicId}",
      needs: "board:view",
      on: "board",
      input: ownMember,
      fresh: async (scene) => {
        const caller = await scene.makers.again(scene.world, scene.kind);
        await scene.makers.addToBoard(scene.place.board, caller.memberPublicId ?? "");
        return { input: ownMember({ ...scene, caller }), by: caller };
      },
    },
  ],
};

const lists: Rows = {
  "board.lists.create": {
    at: "POST /lists",
    needs: "list:create",
    on: "board",
    target: "boardPublicId",
    input: (scene) => ({ ...onBoard(scene), name: unique("List") }),
  },
  "board.lists.update": {
    at: "PUT /lists/{listPublicId}",
    needs: "list:edit",
    on: "board",
    input: ({ place }) => ({ listPublicId: place.ids.listPublicId, name: unique("List") }),
  },
  "board.lists.delete": {
    at: "DELETE /lists/{listPublicId}",
    needs: "list:delete",
    on: "board",
    input: ({ place }) => ({ listPublicId: place.ids.listPublicId }),
    fresh: async ({ app, place }) => ({
      input: { listPublicId: (await app.make.list({ board: place.board })).list.publicId },
    }),
  },
  "board.labels.create": {
    at: "POST /labels",
    needs: "board:edit",
    on: "board",
    target: "boardPublicId",
    input: (scene) => ({ ...onBoard(scene), ...label() }),
  },
  "board.labels.update": {
    at: "PUT /labels/{labelPublicId}",
    needs: "board:edit",
    on: "board",
    input: ({ place }) => ({ labelPublicId: place.ids.labelPublicId, name: unique("Label") }),
  },
  "board.labels.delete": {
    at: "DELETE /labels/{labelPublicId}",
    needs: "board:edit",
    on: "board",
    input: ({ place }) => ({ labelPublicId: place.ids.labelPublicId }),
    fresh: async ({ app, place }) => ({
      input: { labelPublicId: (await app.make.label({ board: place.board })).label.publicId },
    }),
  },
};

export const boardRows: Rows = { ...boards, ...members, ...lists };
