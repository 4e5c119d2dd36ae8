import { closeAll, preloadBoard, resumeAll } from "./board/followed.js";
import { lazyComponent } from "./parts/lazyComponent.js";
import { Routes } from "./routes/Routes.js";
import { followSession, useSession } from "./session/session.js";
import { TryAgainLayout } from "./signIn/SignInLayout.js";

const Callback = lazyComponent(() => import("./signIn/Callback.js"), true);

// A provider appends its token, which the page has no use for.
if (location.pathname.startsWith("/integration/")) history.replaceState(history.state, "", location.pathname);
followSession({ preload: () => preloadBoard(location.pathname), resume: resumeAll, close: closeAll });

/** The page, once it is known who is signed in. */
export function App() {
  const session = useSession();
  const { data: user, error } = session;
  if (location.pathname === "/callback") return <Callback />;
  if (error) return <TryAgainLayout of={session} />;
  return user === undefined ? null : <Routes user={user} />;
}
