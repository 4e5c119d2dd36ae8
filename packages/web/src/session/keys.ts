// The keys of what several features read of the session.

export const sessionKeys = {
  session: ["session"],
  start: ["start"],
  boards: ["boards"],
  workspace: (workspacePublicId: string) => ["workspace", workspacePublicId],
};
