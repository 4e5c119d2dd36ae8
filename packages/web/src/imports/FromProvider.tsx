// The page to which a provider of boards sends people back. Loaded when it is first shown.

import { useQuery } from "@tanstack/react-query";
import { FileUp } from "lucide";
import { Link } from "wouter";
import { importInto } from "../addresses.js";
import { Page } from "../frame/Frame.js";
import { ReadPage } from "../frame/ReadPage.js";
import { NotFound } from "../frame/UnavailablePage.js";
import { Icon } from "../parts/Icon.js";
import { start } from "../session/start.js";
import { importTexts } from "../texts/importTexts.js";
import "../styles/settings.css";

/** Tells how a provider writes a board as a file, and leads to the import into each workspace. */
export default function FromProvider({ provider }: { provider: string }) {
  const query = useQuery(start);
  const text = Object.entries(importTexts.from).find(([name]) => name === provider)?.[1];
  if (text === undefined) return <NotFound />;
  return (
    <ReadPage of={query}>
      {({ workspaces }) => (
        <Page heading={text.heading}>
          <div className="scroll">
            <div className="page narrow">
              <p>{text.how}</p>
              {workspaces
                .filter(({ me }) => me.permissions.includes("board:create"))
                .map(({ publicId, name }) => (
                  <Link key={publicId} className="btn l" href={importInto(publicId)}>
                    <Icon of={FileUp} isSmall />
                    <span>{importTexts.into(name)}</span>
                  </Link>
                ))}
            </div>
          </div>
        </Page>
      )}
    </ReadPage>
  );
}
