import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Page } from "../frame/Frame.js";
import { Reason } from "../parts/Reason.js";
import { texts } from "../texts/later.js";
import { CsvColumns } from "./CsvColumns.js";
import type { Preview } from "./columns.js";
import { reasonOf } from "./failures.js";
import type { ImportFile } from "./readFile.js";
import { previewOf } from "./runCsv.js";
import { Steps } from "./Steps.js";

interface Props {
  heading: string;
  workspacePublicId: string;
  file: Extract<ImportFile, { kind: "csv" }>;
  again: () => void;
}

/** The choices of how a table is read, where the service guessed wrong. */
interface Reading {
  delimiter?: Preview["delimiter"];
  hasHeader?: boolean;
}

/** Reads a table as the person says, then goes through its columns, a trial and the import. */
export function CsvImport({ heading, workspacePublicId, file, again }: Props) {
  const text = texts.imports;
  const id = useId();
  const [reading, setReading] = useState<Reading>({});
  const { data: first, error } = useQuery({
    queryKey: ["csvPreview", id, file.name, file.text.length, reading],
    queryFn: () => previewOf(file.text, reading),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (first !== undefined) {
    return (
      <CsvColumns
        key={JSON.stringify(reading)}
        heading={heading}
        workspacePublicId={workspacePublicId}
        name={file.name}
        table={{ csv: file.text, options: reading, first }}
        read={(change) => setReading({ ...reading, ...change })}
        again={again}
      />
    );
  }
  return (
    <Page heading={heading} tools={<Steps of={["file", "columns", "trial", "done"]} current="columns" />}>
      <div className="page narrow">
        <p role="status">{error === null && text.reading}</p>
        {error && (
          <>
            <Reason of={error} say={reasonOf} />
            <div className="tools-row">
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
