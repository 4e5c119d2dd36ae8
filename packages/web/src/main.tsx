import "@fontsource-variable/hanken-grotesk/wght.css";
import "./styles/tokens.css";
import "./styles/reset.css";
import "./styles/text.css";
import "./parts/button.css";
import "./parts/field.css";
import "./parts/chip.css";
import "./parts/avatar.css";
import "./parts/overlay.css";
import "./parts/rows.css";
import "./parts/prose.css";
import "./styles/layers.css";
import "./parts/page.css";
import "./styles/tooOld.css";

import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { App } from "./App.js";
import { ignoreInputMethods } from "./keys/inputMethods.js";
import { Announcements } from "./parts/Announcements.js";
import { Boundary } from "./parts/Boundary.js";
import { followKeyboard } from "./parts/keyboard.js";
import { afterPaint } from "./parts/lazyComponent.js";
import { guardNodes } from "./parts/replacedNodes.js";
import { queryClient } from "./session/queryClient.js";
import { FailedLayout } from "./signIn/SignInLayout.js";
import { applyTheme } from "./theme.js";
import { reloadAfterUpgrade } from "./upgrade.js";

ignoreInputMethods();
guardNodes();
afterPaint(async () => (await import("./dropped.js")).keepPageFromFiles());
applyTheme();
reloadAfterUpgrade();
followKeyboard();
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no root");
// Nothing leaves before somebody acts.
void import("./parts/keepFocus.js").then(({ keepFocus }) => keepFocus());
createRoot(root).render(
  <QueryClientProvider client={queryClient}>
    <Boundary fallback={<FailedLayout />}>
      <App />
    </Boundary>
    <Announcements />
  </QueryClientProvider>,
);
