// Importing a board into a workspace. Loaded when it is first shown.

import { useMutation, useQuery } from "@tanstack/react-query";
import { FileUp } from "lucide";
import { useId } from "react";
import { Page } from "../frame/Frame.js";
import { ReadPage } from "../frame/ReadPage.js";
import { NotFound } from "../frame/UnavailablePage.js";
import { useHold } from "../parts/hold.js";
import { Icon } from "../parts/Icon.js";
import { Reason } from "../parts/Reason.js";
import type { OwnWorkspace } from "../session/boards.js";
import { workspaceSettings } from "../session/boards.js";
import { importTexts } from "../texts/importTexts.js";
import { BoardFileImport } from "./BoardFileImport.js";
import { CsvImport } from "./CsvImport.js";
import { reasonOf } from "./failures.js";
import { ImportSteps } from "./ImportSteps.js";
import { readFile } from "./readFile.js";
import "../styles/modal.css";
import "../styles/settings.css";
import * as styles from "./Imports.module.css";

/** Asks for a file, then goes through what becomes of it. */
export default function ImportPage({ workspacePublicId }: { workspacePublicId: string }) {
  const query = useQuery(workspaceSettings(workspacePublicId));
  return <ReadPage of={query}>{(workspace) => <Importing workspace={workspace} />}</ReadPage>;
}

function Importing({ workspace }: { workspace: OwnWorkspace }) {
  const read = useMutation({ mutationFn: readFile });
  useHold();
  if (!workspace.me.permissions.includes("board:create")) return <NotFound />;
  const heading = importTexts.into(workspace.name);
  const file = read.data;
  const props = { heading, workspacePublicId: workspace.publicId, again: read.reset };
  if (file?.kind === "csv") return <CsvImport {...props} file={file} />;
  if (file !== undefined) return <BoardFileImport {...props} file={file} />;
  return (
    <Page heading={heading} tools={<ImportSteps of={["file", "columns", "trial", "done"]} current="file" />}>
      <div className="scroll">
        <div className="page narrow">
          <ChooseFile choose={read.mutate} error={read.error} />
        </div>
      </div>
    </Page>
  );
}

function ChooseFile({ choose, error }: { choose: (file: File) => void; error: Error | null }) {
  const text = importTexts;
  const id = useId();
  return (
    <div className={`rows ${styles.dropFile}`}>
      <Icon of={FileUp} />
      <label htmlFor={id}>{text.file}</label>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,.json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) choose(file);
          // The same file can be chosen again once it was mended.
          currentTarget.value = "";
        }}
      />
      <p className="hint">{text.kinds}</p>
      <Reason of={error} say={reasonOf} />
    </div>
  );
}
