import { Route, Switch, useLocation } from "wouter";
import { BoardRoute } from "./board/BoardRoute.js";
import { BOARD_ROUTE, followAt, followNone, followOn } from "./board/followed.js";
import { undoing } from "./board/moving/Undo.js";
import type { User } from "./client.js";
import { Frame } from "./frame/Frame.js";
import { FailedPage, NotFound } from "./frame/UnavailablePage.js";
import { Boundary } from "./parts/Boundary.js";
import { later } from "./parts/later.js";
import { isSessionOver } from "./requests.js";
import { followSession, isUnexpected, useSession } from "./session/session.js";
import { UserContext } from "./session/user.js";
import { TryAgainSheet } from "./signIn/Sheet.js";
import { useStore } from "./store.js";

const Callback = later(() => import("./signIn/Callback.js"), true);
const Home = later(() => import("./home/Home.js"), true);
const SignIn = later(() => import("./signIn/SignIn.js"), true);
const AccountLink = later(() => import("./links/AccountLink.js"), true);
const Invitation = later(() => import("./links/Invitation.js"), true);
const WorkspaceSettings = later(() => import("./settings/WorkspaceSettings.js"), true);
const BoardSettings = later(() => import("./settings/BoardSettings.js"), true);
const AccountSettings = later(() => import("./account/AccountSettings.js"), true);
const CalendarPage = later(() => import("./calendar/CalendarPage.js"), true);
const NotificationsPage = later(() => import("./notifications/NotificationsPage.js"), true);
const Admin = later(() => import("./admin/Admin.js"), true);
const PublicBoard = later(() => import("./publicBoard/PublicBoard.js"), true);
const FromProvider = later(() => import("./imports/FromProvider.js"), true);
const ImportPage = later(() => import("./imports/ImportPage.js"), true);
const SignInAgain = later(() => import("./signIn/SignInAgain.js"));
const UnexpectedAccount = later(() => import("./signIn/UnexpectedAccount.js"));
const SearchPage = later(() => import("./search/SearchPage.js"), true);

// A provider appends its token, which the page has no use for.
if (location.pathname.startsWith("/integration/")) history.replaceState(history.state, "", location.pathname);
followSession({ preload: () => followAt(location.pathname), resume: followOn, close: followNone });
// Read beside the session.
if (location.pathname === "/") void Home.preload();

/** The page: what anybody may open, sign-in for strangers at whatever other address they came to, and the routes for everybody else. */
export function App() {
  const session = useSession();
  const { data: user, error } = session;
  if (location.pathname === "/callback") return <Callback />;
  if (error) return <TryAgainSheet of={session} />;
  if (user === undefined) return null;
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
      <Route>{user === null ? <SignIn /> : <OwnPages user={user} />}</Route>
    </Switch>
  );
}

function OwnPages({ user }: { user: User }) {
  const isOver = useStore(isSessionOver, (value) => value);
  const mustAsk = useStore(isUnexpected, (value) => value);
  const [address] = useLocation();
  return (
    <UserContext key={user.publicId} value={user}>
      <Frame>
        {isOver && <SignInAgain />}
        {mustAsk && !isOver && <UnexpectedAccount />}
        <Boundary fallback={<FailedPage />} at={address}>
          <Switch>
            <Route path="/">
              <Home />
            </Route>
            <Route path={BOARD_ROUTE} component={BoardRoute} />
            <Route path="/calendar/:workspace">
              {({ workspace }) => <CalendarPage key={workspace} workspacePublicId={workspace} undoing={undoing} />}
            </Route>
            <Route path="/notifications">
              <NotificationsPage />
            </Route>
            <Route path="/search">
              <SearchPage />
            </Route>
            <Route path="/settings/workspaces/:id/webhooks/:webhook">
              {({ id, webhook }) => (
                <WorkspaceSettings key={id} workspacePublicId={id} section="webhooks" webhookPublicId={webhook} />
              )}
            </Route>
            <Route path="/settings/workspaces/:id/:section?">
              {({ id, section }) => <WorkspaceSettings key={id} workspacePublicId={id} section={section} />}
            </Route>
            <Route path="/settings/boards/:id/:section?">
              {({ id, section }) => <BoardSettings key={id} boardPublicId={id} section={section} />}
            </Route>
            <Route path="/import/:workspace">
              {({ workspace }) => <ImportPage key={workspace} workspacePublicId={workspace} />}
            </Route>
            <Route path="/integration/:provider">{({ provider }) => <FromProvider provider={provider} />}</Route>
            <Route path="/admin/:section?">{({ section }) => <Admin section={section} />}</Route>
            <Route path="/settings/account/:section?">{({ section }) => <AccountSettings section={section} />}</Route>
            <Route component={NotFound} />
          </Switch>
        </Boundary>
      </Frame>
    </UserContext>
  );
}
