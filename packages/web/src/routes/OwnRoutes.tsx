import { useEffect } from "react";
import { Route, Switch, useLocation } from "wouter";
import { BoardRoute } from "../board/BoardRoute.js";
import { BOARD_ROUTE } from "../board/followed.js";
import { SlotsContext } from "../board/slots.js";
import type { User } from "../client.js";
import { Frame } from "../frame/Frame.js";
import { FailedPage, NotFound } from "../frame/UnavailablePage.js";
import { followOwn } from "../notifications/notifications.js";
import { Boundary } from "../parts/Boundary.js";
import { lazyComponent } from "../parts/lazyComponent.js";
import { isSessionOver } from "../requests.js";
import { isUnexpected } from "../session/session.js";
import { UserContext } from "../session/user.js";
import { ShareButton } from "../share/ShareButton.js";
import { useStore } from "../store.js";

const Home = lazyComponent(() => import("../home/Home.js"), true);
const WorkspaceSettings = lazyComponent(() => import("../settings/WorkspaceSettings.js"), true);
const BoardSettings = lazyComponent(() => import("../settings/BoardSettings.js"), true);
const AccountSettings = lazyComponent(() => import("../account/AccountSettings.js"), true);
const CalendarPage = lazyComponent(() => import("../calendar/CalendarPage.js"), true);
const NotificationsPage = lazyComponent(() => import("../notifications/NotificationsPage.js"), true);
const Admin = lazyComponent(() => import("../admin/Admin.js"), true);
const FromProvider = lazyComponent(() => import("../imports/FromProvider.js"), true);
const ImportPage = lazyComponent(() => import("../imports/ImportPage.js"), true);
const SignInAgain = lazyComponent(() => import("../signIn/SignInAgain.js"));
const UnexpectedAccount = lazyComponent(() => import("../signIn/UnexpectedAccount.js"));
const SearchPage = lazyComponent(() => import("../search/SearchPage.js"), true);
const SearchDialog = lazyComponent(() => import("../search/SearchDialog.js"));
const CardDialog = lazyComponent(() => import("../card/CardDialog.js"));
const CardPicker = lazyComponent(() => import("../card/CardPicker.js"));

/** The parts of features above the board that it shows. */
const SLOTS = { CardDialog, CardPicker, ShareButton };

// Read beside the session.
if (location.pathname === "/") void Home.preload();

/** The pages of people who are signed in, and what is asked over them. */
export function OwnRoutes({ user }: { user: User }) {
  const { publicId } = user;
  const isOver = useStore(isSessionOver, (value) => value);
  const mustAsk = useStore(isUnexpected, (value) => value);
  const [address] = useLocation();
  useEffect(() => (isOver ? undefined : followOwn(publicId)), [publicId, isOver]);
  return (
    <UserContext key={publicId} value={user}>
      <Frame SearchDialog={SearchDialog}>
        {isOver && <SignInAgain />}
        {mustAsk && !isOver && <UnexpectedAccount />}
        <Boundary fallback={<FailedPage />} at={address}>
          <Pages />
        </Boundary>
      </Frame>
    </UserContext>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <Home />
      </Route>
      <Route path={BOARD_ROUTE}>
        <SlotsContext value={SLOTS}>
          <BoardRoute />
        </SlotsContext>
      </Route>
      <Route path="/calendar/:workspace">
        {({ workspace }) => <CalendarPage key={workspace} workspacePublicId={workspace} />}
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
  );
}
