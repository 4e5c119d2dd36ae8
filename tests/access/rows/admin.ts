// What instance admins do.

import { unique } from "../../helpers/app.js";
import type { Rows, Scene } from "../rows.js";

const somebody = async ({ app }: Scene) => ({ userPublicId: (await app.make.user()).publicId });
const newcomer = () => ({ name: "Ada", email: `${unique("newcomer").replace(" ", ".")}@example.org` });

export const adminRows: Rows = {
  "admin.users.list": { at: "GET /admin/users", needs: "an instance admin", input: () => ({}) },
  "admin.users.create": {
    at: "POST /admin/users",
    needs: "an instance admin",
    input: newcomer,
    fresh: async () => ({ input: newcomer() }),
  },
  "admin.users.resetLink": {
    at: "POST /admin/users/{userPublicId}/reset-link",
    needs: "an instance admin",
    input: ({ world }) => ({ userPublicId: world.owner.publicId }),
    fresh: async (scene) => ({ input: await somebody(scene) }),
  },
  "admin.users.update": {
    at: "PUT /admin/users/{userPublicId}",
    needs: "an instance admin",
    input: ({ world }) => ({ userPublicId: world.owner.publicId, disabled: true }),
    fresh: async (scene) => ({ input: { ...(await somebody(scene)), disabled: true } }),
  },
  "admin.audit": { at: "GET /admin/audit", needs: "an instance admin", input: () => ({}) },
  "admin.status": { at: "GET /admin/status", needs: "an instance admin", input: () => ({}) },
};
