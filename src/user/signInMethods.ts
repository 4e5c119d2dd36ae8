// The methods by which people may sign in here, for applications that show a page to do so (capabilities section 1).

import { z } from "zod";
import { publicProcedure } from "../api/trpc.js";
import type { Config } from "../config.js";

/** The methods by which people sign in. */
export const SignInMethods = z
  .object({
    password: z.boolean().meta({ description: "Whether passwords sign in." }),
    signUp: z.enum(["open", "invited", "closed"]).meta({ description: "Who may sign up." }),
    passwordReset: z.boolean().meta({ description: "Whether a forgotten password can be reset by mail." }),
    emailVerification: z.boolean().meta({ description: "Whether addresses can be verified and changed by mail." }),
    twoFactor: z.boolean().meta({ description: "Whether two-factor authentication can be switched on." }),
    oidc: z
      .array(
        z.object({
          providerId: z.string().meta({ description: "What the paths of signing in with this provider name it by." }),
          name: z.string(),
        }),
      )
      .meta({ description: "The OpenID Connect providers, in the order of the settings." }),
  })
  .meta({ id: "SignInMethods", description: "How people may sign in." });

/** The methods that the settings allow. */
export const signInMethodsOf = (config: Config): z.output<typeof SignInMethods> => ({
  password: config.passwordSignIn,
  signUp: config.signUp,
  passwordReset: config.passwordSignIn && config.mail !== null,
  emailVerification: config.mail !== null,
  twoFactor: config.secretKeys.length > 0,
  oidc: config.oidcProviders.map(({ id, name }) => ({ providerId: id, name })),
});

export const signInMethods = {
  authMethods: publicProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/auth/methods",
        protect: false,
        tags: ["Accounts"],
        summary: "Get the ways to sign in",
        description: "Tells how people may sign in and sign up here. Requires no token.",
        successDescription: "The ways to sign in.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(SignInMethods)
    .query(({ ctx: { config } }) => signInMethodsOf(config)),
};
