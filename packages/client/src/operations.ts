// Operations that the client treats in their own way. A test compares these lists with the router of the service.

/** Mutations that refuse or ignore an `Idempotency-Key`: they need no token, or their answer holds a secret. */
export const KEYLESS: ReadonlySet<string> = new Set([
  "admin.users.create",
  "admin.users.resetLink",
  "user.confirmEmail",
  "user.oidc.finish",
  "user.oidc.start",
  "user.requestPasswordReset",
  "user.resetPassword",
  "user.signIn",
  "user.signUp",
  "user.tokens.create",
  "user.twoFactor.begin",
  "user.twoFactor.confirm",
  "user.twoFactor.recoveryCodes",
  "user.unsubscribe",
  "workspace.invites.accept",
  "workspace.webhooks.create",
  "workspace.webhooks.rotateSecret",
]);

/** Queries that need no token: beside them in a batch, a refused token would show in a part of the answer alone. */
export const PUBLIC_QUERIES: ReadonlySet<string> = new Set([
  "board.getPublic",
  "user.authMethods",
  "user.session",
  "workspace.invites.preview",
]);

/** Queries that are worth a request of their own: only then does the service compress the response, and answer 304. */
export const LARGE_QUERIES: ReadonlySet<string> = new Set(["board.get", "user.start"]);
