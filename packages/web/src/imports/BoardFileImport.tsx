import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { newKey } from "work-board-client";
import { client, type RouterInputs } from "../client.js";
import { Page } from "../frame/Frame.js";
import { Button } from "../parts/Button.js";
import { Reason } from "../parts/Reason.js";
import { boardsChanged } from "../session/boards.js";
import { importTexts } from "../texts/importTexts.js";
import { reasonOf } from "./failures.js";
import { ImportResult } from "./ImportResult.js";
import { ImportSteps } from "./ImportSteps.js";
import * as styles from "./Imports.module.css";
import { importTrial } from "./queries.js";
import { ReportView } from "./ReportView.js";
import type { ImportFile } from "./readFile.js";

type Input = RouterInputs["import"]["board"];
type TrelloInput = RouterInputs["import"]["trello"];

interface Props {
  heading: string;
  workspacePublicId: string;
  file: Extract<ImportFile, { content: object }>;
  again: () => void;
}

/** Tries the file of a board, tells what it gives, and imports it. */
export function BoardFileImport({ heading, workspacePublicId, file, again }: Props) {
  const text = importTexts;
  const id = useId();
  // The same for each try: a board whose answer was lost is not made twice.
  const [key] = useState(newKey);
  // The service checks what a file holds, and says where it is wrong.
  const call = (dryRun: boolean) => {
    const options = { context: dryRun ? {} : { idempotencyKey: key } };
    return file.kind === "trello"
      ? client.import.trello.mutate({ workspacePublicId, board: file.content as TrelloInput["board"], dryRun }, options)
      : client.import.board.mutate({ workspacePublicId, board: file.content as Input["board"], dryRun }, options);
  };
  const trial = useQuery(importTrial(id, () => call(true)));
  const run = useMutation({ mutationFn: () => call(false), onSuccess: boardsChanged });
  const failure = run.error ?? trial.error;
  const isBusy = run.isPending || trial.isPending;
  return (
    <Page
      heading={heading}
      tools={<ImportSteps of={["file", "trial", "done"]} current={run.isSuccess ? "done" : "trial"} />}
    >
      <div className="scroll">
        <div className="page narrow">
          <p>
            <span>{`${file.name} `}</span>
            <span className="hint">{text.kindOf[file.kind]}</span>
          </p>
          <Reason of={failure} say={reasonOf} />
          <p role="status" className="hint">
            {isBusy && (run.isPending ? text.running : text.trying)}
          </p>
          {isBusy && <progress className={styles.progress} aria-label={text.progress} />}
          {run.isSuccess && <ImportResult report={run.data} isTable={false} again={again} />}
          {trial.isSuccess && !run.isSuccess && (
            <ReportView heading={text.wouldMake} report={trial.data} isTable={false} />
          )}
          {!run.isSuccess && (
            <div className={styles.toolsRow}>
              {trial.isSuccess && (
                <Button className="btn primary l" isOff={isBusy} onClick={() => run.mutate()}>
                  {text.import}
                </Button>
              )}
              <Button className="btn l" isOff={run.isPending} onClick={again}>
                {text.otherFile}
              </Button>
            </div>
          )}
        </div>
      </div>
    </Page>
  );
}
