import { useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { Page } from "../frame/Frame.js";
import { Reason } from "../parts/Reason.js";
import { importTexts } from "../texts/importTexts.js";
import { CsvColumns } from "./CsvColumns.js";
import { reasonOf } from "./failures.js";
import { ImportSteps } from "./ImportSteps.js";
import * as styles from "./Imports.module.css";
import { csvPreview } from "./queries.js";
import { type ImportFile, textOf } from "./readFile.js";
import { type Reading, TextReading } from "./TextReading.js";

interface Props {
  heading: string;
  workspacePublicId: string;
  file: Extract<ImportFile, { kind: "csv" }>;
  again: () => void;
}

/** Reads a table as the person says, then goes through its columns, a trial and the import. */
export function CsvImport({ heading, workspacePublicId, file, again }: Props) {
  const text = importTexts;
  const id = useId();
  const [{ encoding = file.encoding, ...options }, setReading] = useState<Reading>({});
  const csv = useMemo(() => textOf(file.bytes, encoding), [file.bytes, encoding]);
  const { data: first, error } = useQuery(csvPreview(id, file, encoding, csv, options));
  const read = (change: Reading) => setReading((before) => ({ ...before, ...change }));
  if (first !== undefined) {
    return (
      <CsvColumns
        key={JSON.stringify([encoding, options])}
        heading={heading}
        workspacePublicId={workspacePublicId}
        name={file.name}
        encoding={encoding}
        table={{ csv, options, first }}
        read={read}
        again={again}
      />
    );
  }
  return (
    <Page heading={heading} tools={<ImportSteps of={["file", "columns", "trial", "done"]} current="columns" />}>
      <div className="page narrow">
        <p role="status">{error === null && text.reading}</p>
        {error && (
          <>
            <Reason of={error} say={reasonOf} />
            <div className={styles.toolsRow}>
              <TextReading encoding={encoding} delimiter={options.delimiter} read={read} />
              <button className="btn l" type="button" onClick={again}>
                {text.otherFile}
              </button>
            </div>
          </>
        )}
      </div>
    </Page>
  );
}
