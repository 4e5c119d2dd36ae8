// Workspaces, the people in them and the ways in, tags, meetings, readings, webhooks and imports.

import { unique } from "../../helpers/app.js";
import type { Role } from "../../helpers/make.js";
import type { CallerName } from "../contract.js";
import type { Call, Row, Rows, Scene } from "../rows.js";

const here = ({ place }: Scene) => ({ workspacePublicId: place.ids.workspacePublicId });
const withTag = (scene: Scene) => ({ ...here(scene), tagPublicId: scene.place.ids.tagPublicId });
const withMeeting = (scene: Scene) => ({ ...here(scene), meetingPublicId: scene.place.ids.meetingPublicId });
const withWebhook = (scene: Scene) => ({ ...here(scene), webhookPublicId: scene.place.ids.webhookPublicId });
const withMember = (scene: Scene) => ({ ...here(scene), memberPublicId: scene.place.ids.memberPublicId });
const withDelivery = (scene: Scene) => ({ ...withWebhook(scene), deliveryPublicId: scene.place.ids.deliveryPublicId });
const ownMember = (scene: Scene) => ({
  ...here(scene),
  memberPublicId: scene.caller.memberPublicId ?? scene.place.ids.memberPublicId,
});

const tag = () => ({ name: unique("Tag"), colourCode: "#1f6feb" });
const webhook = () => ({ name: unique("Hook"), url: "http://127.0.0.1:9/hook", events: ["tag.*"] });
const someAddress = () => `${unique("someone").replace(" ", ".")}@example.org`;
const csv = () => ({ boardName: unique("Imported"), rows: [["First"]], mapping: { title: 0 } });

async function freshMember(scene: Scene, role: Role): Promise<Call> {
  const { memberPublicId } = await scene.app.make.member(scene.place.board.workspace, role);
  return { input: { ...here(scene), memberPublicId } };
}

/** A workspace of the caller's own, called with a token of the caller's kind. */
async function ownWorkspace({ app, caller, kind, world }: Scene): Promise<Call> {
  const owner = caller.person ?? world.owner;
  const { workspace } = await app.make.workspace({ owner });
  const workspacePublicId = workspace.publicId;
  const by = kind === "a token bound here" ? await app.make.token(owner, { workspacePublicId }) : owner;
  return { input: { workspacePublicId }, by };
}

const JOINING: readonly CallerName[] = ["no token", "a stranger", "an instance admin", "a removed member"];

const workspace: Rows = {
  "workspace.list": { at: "GET /workspaces", needs: "any token", input: () => ({}) },
  "workspace.create": {
    at: "POST /workspaces",
    needs: "any token",
    except: {
      "an accountless guest": "FORBIDDEN",
      "a token bound here": "FORBIDDEN",
      "a token bound elsewhere": "FORBIDDEN",
    },
    input: () => ({ name: unique("Workspace") }),
  },
  "workspace.get": { at: "GET /workspaces/{workspacePublicId}", needs: "workspace:view", on: "workspace", input: here },
  "workspace.update": {
    at: "PUT /workspaces/{workspacePublicId}",
    needs: "workspace:edit",
    on: "workspace",
    input: (scene) => ({ ...here(scene), description: unique("About") }),
  },
  "workspace.delete": {
    at: "DELETE /workspaces/{workspacePublicId}",
    needs: "workspace:delete",
    on: "workspace",
    input: here,
    fresh: ownWorkspace,
  },
  "workspace.checkSlug": {
    at: "GET /workspaces/{workspacePublicId}/check-slug-availability",
    needs: "workspace:edit",
    on: "workspace",
    input: (scene) => ({ ...here(scene), workspaceSlug: "a-free-slug" }),
  },
  "workspace.permissions": {
    at: "GET /workspaces/{workspacePublicId}/permissions/me",
    needs: "workspace:view",
    on: "workspace",
    input: here,
  },
  "workspace.calendar": {
    at: "GET /workspaces/{workspacePublicId}/calendar",
    needs: "workspace:view",
    on: "workspace",
    input: (scene) => ({ ...here(scene), anchor: "2027-01-15" }),
  },
  "workspace.search": {
    at: "GET /workspaces/{workspacePublicId}/search",
    needs: "workspace:view",
    on: "workspace",
    input: (scene) => ({ ...here(scene), query: "needle" }),
  },
  "workspace.events": {
    at: "GET /workspaces/{workspacePublicId}/events",
    needs: "workspace:view",
    on: "workspace",
    input: (scene) => ({ ...here(scene), limit: 100 }),
  },
};

const people: Rows = {
  "workspace.members.list": {
    at: "GET /workspaces/{workspacePublicId}/members",
    needs: "workspace:view",
    on: "workspace",
    input: here,
  },
  "workspace.members.invite": {
    at: "POST /workspaces/{workspacePublicId}/members/invite",
    needs: "member:invite",
    on: "workspace",
    input: (scene) => ({ ...here(scene), email: someAddress() }),
  },
  "workspace.members.setRole": {
    at: "PUT /workspaces/{workspacePublicId}/members/{memberPublicId}/role",
    needs: "member:edit",
    on: "workspace",
    input: (scene) => ({ ...withMember(scene), role: "admin" }),
    fresh: async (scene) => {
      const { input } = await freshMember(scene, "guest");
      return { input: { ...input, role: "member" } };
    },
  },
  "workspace.members.remove": [
    {
      at: "DELETE /workspaces/{workspacePublicId}/members/{memberPublicId}",
      needs: "member:remove",
      on: "workspace",
      input: withMember,
      fresh: (scene) => freshMember(scene, "member"),
    },
    {
      case: "oneself",
      at: "DELETE /workspaces/{workspacePublicId}/members/{memberPublicId}",
      needs: "workspace:view",
      on: "workspace",
      input: ownMember,
      fresh: async (scene) => {
        const caller = await scene.makers.again(scene.world, scene.kind);
        return { input: ownMember({ ...scene, caller }), by: caller };
      },
    },
  ],
  "workspace.invites.create": {
    at: "POST /workspaces/{workspacePublicId}/invites",
    needs: "member:invite",
    on: "workspace",
    input: here,
  },
  "workspace.invites.get": {
    at: "GET /workspaces/{workspacePublicId}/invites",
    needs: "member:invite",
    on: "workspace",
    input: here,
  },
  "workspace.invites.revoke": {
    at: "DELETE /workspaces/{workspacePublicId}/invites",
    needs: "member:invite",
    on: "workspace",
    input: here,
    fresh: async (scene) => {
      await scene.makers.link(scene.place.board.workspace);
      return { input: here(scene) };
    },
  },
  "workspace.invites.preview": {
    at: "GET /invites/{inviteCode}",
    needs: "nothing",
    input: ({ place }) => ({ inviteCode: place.ids.inviteCode }),
  },
  // Specification 4.10 knows neither UNAUTHORIZED nor FORBIDDEN.
  "workspace.invites.accept": {
    at: "POST /invites/accept",
    needs: "nothing",
    except: {
      "a garbage token": "BAD_REQUEST",
      "an expired token": "BAD_REQUEST",
      "a revoked token": "BAD_REQUEST",
      "a disabled account": "BAD_REQUEST",
      "a read-only token": "BAD_REQUEST",
      "a token bound elsewhere": "BAD_REQUEST",
    },
    input: ({ place }) => ({ inviteCode: place.ids.inviteCode }),
    fresh: async ({ makers, place, kind, caller, world }) => {
      // Before the link is made: one that is live when somebody is removed ends.
      const by = JOINING.includes(kind) ? await makers.again(world, kind) : caller;
      return { input: { inviteCode: await makers.link(place.board.workspace) }, by };
    },
    changes: (kind) => JOINING.includes(kind),
  },
};

const things: Rows = {
  "workspace.tags.list": {
    at: "GET /workspaces/{workspacePublicId}/tags",
    needs: "workspace:view",
    on: "workspace",
    input: here,
  },
  "workspace.tags.create": {
    at: "POST /workspaces/{workspacePublicId}/tags",
    needs: "tag:edit",
    on: "workspace",
    input: (scene) => ({ ...here(scene), ...tag() }),
  },
  "workspace.tags.update": {
    at: "PUT /workspaces/{workspacePublicId}/tags/{tagPublicId}",
    needs: "tag:edit",
    on: "workspace",
    input: (scene) => ({ ...withTag(scene), name: unique("Tag") }),
  },
  "workspace.tags.delete": {
    at: "DELETE /workspaces/{workspacePublicId}/tags/{tagPublicId}",
    needs: "tag:edit",
    on: "workspace",
    input: withTag,
    fresh: async (scene) => {
      const { tag } = await scene.app.make.tag({ workspace: scene.place.board.workspace });
      return { input: { ...here(scene), tagPublicId: tag.publicId } };
    },
  },
  "workspace.meetings.list": {
    at: "GET /workspaces/{workspacePublicId}/meetings",
    needs: "meeting:view",
    on: "workspace",
    input: here,
  },
  "workspace.meetings.save": [
    {
      at: "PUT /workspaces/{workspacePublicId}/meetings",
      needs: "meeting:edit",
      on: "workspace",
      input: (scene) => ({ ...here(scene), title: unique("Meeting") }),
    },
    {
      case: "one that is there",
      at: "PUT /workspaces/{workspacePublicId}/meetings",
      needs: "meeting:edit",
      on: "workspace",
      input: (scene) => ({ ...withMeeting(scene), title: unique("Meeting") }),
    },
  ],
  "workspace.meetings.delete": {
    at: "DELETE /workspaces/{workspacePublicId}/meetings/{meetingPublicId}",
    needs: "meeting:edit",
    on: "workspace",
    input: withMeeting,
    fresh: async (scene) => ({
      input: { ...here(scene), meetingPublicId: await scene.makers.meeting(scene.place.board.workspace) },
    }),
  },
};

/** Everything about webhooks needs the same. */
const managed = (
  at: string,
  input: (scene: Scene) => Record<string, unknown>,
  rest: Partial<Pick<Row, "fresh">> = {},
): Row => ({ at, needs: "webhook:manage", on: "workspace", input, ...rest });

const webhooks: Rows = {
  "workspace.webhooks.list": managed("GET /workspaces/{workspacePublicId}/webhooks", here),
  "workspace.webhooks.create": managed("POST /workspaces/{workspacePublicId}/webhooks", (scene) => ({
    ...here(scene),
    ...webhook(),
  })),
  "workspace.webhooks.update": managed("PUT /workspaces/{workspacePublicId}/webhooks/{webhookPublicId}", (scene) => ({
    ...withWebhook(scene),
    name: unique("Hook"),
  })),
  "workspace.webhooks.delete": managed(
    "DELETE /workspaces/{workspacePublicId}/webhooks/{webhookPublicId}",
    withWebhook,
    {
      fresh: async (scene) => {
        const webhookPublicId = await scene.makers.webhook(scene.place.ids.workspacePublicId);
        return { input: { ...here(scene), webhookPublicId } };
      },
    },
  ),
  "workspace.webhooks.test": managed(
    "POST /workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/test",
    withWebhook,
  ),
  "workspace.webhooks.rotateSecret": managed(
    "POST /workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/rotate-secret",
    withWebhook,
  ),
  "workspace.webhooks.deliveries": managed(
    "GET /workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/deliveries",
    withWebhook,
  ),
  "workspace.webhooks.redeliver": managed(
    "POST /workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/deliveries/{deliveryPublicId}/redeliver",
    withDelivery,
    {
      fresh: async (scene) => ({
        input: {
          ...withWebhook(scene),
          deliveryPublicId: await scene.makers.delivery(scene.place.ids.webhookPublicId),
        },
      }),
    },
  ),
};

const imports: Rows = {
  "import.csv": [
    {
      at: "POST /imports/csv/boards",
      needs: "board:create",
      on: "workspace",
      target: "workspacePublicId",
      input: (scene) => ({ ...here(scene), ...csv() }),
    },
    {
      case: "dry run",
      at: "POST /imports/csv/boards",
      needs: "board:create",
      on: "workspace",
      target: "workspacePublicId",
      input: (scene) => ({ ...here(scene), ...csv(), dryRun: true }),
      changes: false,
    },
    {
      case: "onto a board",
      at: "POST /imports/csv/boards",
      needs: "card:create",
      on: "board",
      target: "boardPublicId",
      input: (scene) => ({ ...here(scene), boardPublicId: scene.place.ids.boardPublicId, ...csv() }),
    },
  ],
  "import.trello": {
    at: "POST /imports/trello/boards",
    needs: "board:create",
    on: "workspace",
    target: "workspacePublicId",
    input: (scene) => ({ ...here(scene), board: { name: unique("Imported"), lists: [], cards: [] } }),
  },
  "import.board": {
    at: "POST /imports/boards",
    needs: "board:create",
    on: "workspace",
    target: "workspacePublicId",
    input: (scene) => ({ ...here(scene), board: scene.world.exported }),
  },
};

export const workspaceRows: Rows = { ...workspace, ...people, ...things, ...webhooks, ...imports };
