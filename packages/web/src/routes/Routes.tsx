import { Route, Switch } from "wouter";
import type { User } from "../client.js";
import { lazyComponent } from "../parts/lazyComponent.js";
import { OwnRoutes } from "./OwnRoutes.js";

const SignIn = lazyComponent(() => import("../signIn/SignIn.js"), true);
const AccountLink = lazyComponent(() => import("../links/AccountLink.js"), true);
const Invitation = lazyComponent(() => import("../links/Invitation.js"), true);
const PublicBoard = lazyComponent(() => import("../publicBoard/PublicBoard.js"), true);

/** The pages that anybody may open, sign-in for strangers at whatever other address they came to, and the routes for everybody else. */
export function Routes({ user }: { user: User | null }) {
  return (
    <Switch>
      <Route path="/account/:page">{({ page }) => <AccountLink page={page} />}</Route>
      <Route path="/invite/:code">{({ code }) => <Invitation code={code} user={user} />}</Route>
      <Route path="/public/boards/:board/cards/:card">
        {({ board, card }) => <PublicBoard boardPublicId={board} cardPublicId={card} isSignedIn={user !== null} />}
      </Route>
      <Route path="/public/boards/:board">
        {({ board }) => <PublicBoard boardPublicId={board} cardPublicId={undefined} isSignedIn={user !== null} />}
      </Route>
      <Route>{user === null ? <SignIn /> : <OwnRoutes user={user} />}</Route>
    </Switch>
  );
}
